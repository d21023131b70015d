# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# An sshd of the set ssh, for a login by public key; included after programs.sh.

# Where sshd finds its user, its empty folder, and a user root who may log in: only this process and its children see
# them.
PLACE='set -e
cp /etc/passwd passwd
grep -q "^sshd:" passwd || echo "sshd:x:64999:65534::/run/sshd:/usr/sbin/nologin" >>passwd
mount --bind passwd /etc/passwd
echo "root:*:::::::" >shadow
[ ! -e /etc/shadow ] || mount --bind shadow /etc/shadow
mount -t tmpfs none /run
mkdir -m 755 /run/sshd
exec "$@"'
IN_PLACE=()
[ "$(id -u)" != 0 ] || IN_PLACE=(unshare -m bash -c "$PLACE" bash)

keys() {
	[ ! -e "$WORK/keys/id" ] || return 0
	mkdir "$WORK/keys"
	stock with_set ssh ssh-keygen -q -t rsa -b 2048 -N '' -f "$WORK/keys/rsa"
	stock with_set ssh ssh-keygen -q -t ecdsa -b 256 -N '' -f "$WORK/keys/ecdsa"
	stock with_set ssh ssh-keygen -q -t ecdsa -b 256 -N '' -f "$WORK/keys/id"
	head -c 1000000 /dev/urandom >"$WORK/keys/file"
}

# At this level of the log a good login leaves no message. LOGIN: what ssh needs for it.
sshd_conf() {
	keys
	free_port PORT
	cat >sshd.conf <<-END
		Port $PORT
		ListenAddress 127.0.0.1
		HostKey $WORK/keys/rsa
		HostKey $WORK/keys/ecdsa
		AuthorizedKeysFile $WORK/keys/id.pub
		PermitRootLogin yes
		PasswordAuthentication no
		StrictModes no
		UsePAM no
		PidFile none
		KexAlgorithms +diffie-hellman-group14-sha256
		LogLevel ERROR
	END
	awk -v port="$PORT" '{ print "[127.0.0.1]:" port, $1, $2 }' "$WORK"/keys/{rsa,ecdsa}.pub >known
	# shellcheck disable=SC2034 # of those who include this file
	LOGIN=(-F none -i "$WORK/keys/id" -p "$PORT" -o IdentitiesOnly=yes -o BatchMode=yes \
		-o UserKnownHostsFile="$PWD/known"
		-o GlobalKnownHostsFile=none)
}

# sshd KIND OPTION... [-- COMMAND...]: started, with devices by these options of wd-emulate, and with that command
# before it. KIND: stock, or another function of the area.
sshd() {
	"${IN_PLACE[@]}" true || skip 'this user may not mount anything'
	sshd_conf
	# shellcheck disable=SC2016 # for the shell there
	"$1" start sshd ssh "${@:2}" -- "${IN_PLACE[@]}" \
		bash -c 'exec "$WARPDRIVE_PROGRAMS/usr/sbin/sshd" -D -e -f sshd.conf'
	listening sshd "$PORT"
}
