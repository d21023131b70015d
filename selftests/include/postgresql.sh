# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# A server of the set db; included after programs.sh.

# The server refuses to be root. In this namespace root's files are nobody's, and so are its processes.
AS=()
[ "$(id -u)" != 0 ] || AS=(unshare --user --map-user="$(id -u nobody)" --map-group="$(id -g nobody)")

# make_cluster: databases of a user tester, in own/data. POSTGRES: the server's command, which listens at PORT.
make_cluster() {
	"${AS[@]}" true || skip 'this user may not make a namespace'
	free_port PORT
	mkdir own sockets
	stock with_set db "${AS[@]}" initdb -D "$PWD/own/data" -U tester --auth=trust --no-sync \
		--locale=C >initdb.log 2>&1 || {
		cat initdb.log
		return 1
	}
	# shellcheck disable=SC2034 # of those who include this file
	POSTGRES=(postgres -D "$PWD/own/data" -F -c listen_addresses=127.0.0.1 -c port="$PORT"
		-c unix_socket_directories="$PWD/sockets")
}
