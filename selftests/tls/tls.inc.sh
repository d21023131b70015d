# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Programs of others with the provider in their configuration; included by the scripts of this area.

. "$(dirname "${BASH_SOURCE[0]}")/../include/tap.sh"
. "$(dirname "${BASH_SOURCE[0]}")/../include/openssl_conf.sh"

export OPENSSL_MODULES=$OUT/ossl-modules
# Without these a user's own environment would change what is tested.
for name in $(compgen -e | grep -E '^WD_' | grep -vE '^WD_TEST_'); do
	unset "$name"
done

# need_set SET: skips the whole script without the provider, or without that set of programs.
need_set() {
	local why

	[ -e "$OPENSSL_MODULES/warpdrive.so" ] || not_here 'the provider was left out of the build'
	[ -x "$OUT/bin/wd-emulate" ] || not_here 'the emulator was left out of the build'
	command -v openssl >/dev/null || not_here 'openssl is not installed'
	why=$("$TOP/scripts/programs" "$1" 2>&1 </dev/null) || not_here "$(tail -n 1 <<<"$why")"
}
not_here() {
	echo "1..0 # SKIP $*"
	exit 4
}

# need_kept_set SET: the same for a set that is fetched with WD_TEST_LONG=1 only. Else it has to be in the cache.
need_kept_set() {
	local cache=${WARPDRIVE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/warpdrive}

	[ -n "${WD_TEST_LONG:-}" ] || compgen -G "$cache/programs/*/$1/.warpdrive" >/dev/null ||
		not_here "the set is not in the cache: scripts/programs $1 fetches it"
	need_set "$1"
}

# with_set SET COMMAND..., with further options of scripts/programs in SUITE.
with_set() { "$TOP/scripts/programs" "$1" "${SUITE[@]}" -- "${@:2}"; }
SUITE=()

# conf [LINE...]: the file conf, with these lines for the provider. An emulated device on a busy machine may not run for a second.
conf() {
	openssl_conf "$@"
	grep -q timeout_ms conf || echo 'timeout_ms = 30000' >>conf
}

# stock COMMAND...: without the provider. provided COMMAND...: with the file conf of this folder.
stock() { OPENSSL_CONF=/dev/null "$@"; }
provided() { OPENSSL_CONF=$PWD/conf "$@"; }

# certificates: $CERTS with rsa.pem, rsa.key, ec.pem and ec.key, self-signed for localhost, and all.pem, which trusts
# both. They are made without the provider, once for each script.
certificates() {
	CERTS=$WORK/certs
	[ ! -e "$CERTS/all.pem" ] || return 0
	mkdir -p "$CERTS"
	certificate rsa -newkey rsa:2048
	certificate ec -newkey ec -pkeyopt ec_paramgen_curve:P-256
	# A server that has changed its user reads them, too.
	chmod 755 "$WORK" && chmod 644 "$CERTS"/*
	cat "$CERTS"/*.pem >"$WORK/all.pem"
	mv "$WORK/all.pem" "$CERTS/"
}
certificate() {
	stock openssl req -x509 -nodes -days 2 -subj "/O=$1/CN=localhost" -addext subjectAltName=DNS:localhost,IP:127.0.0.1 \
		-keyout "$CERTS/$1.key" -out "$CERTS/$1.pem" "${@:2}" 2>"$WORK/req.log"
}

# answers PORT: somebody listens there.
answers() { (: <>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

# free_port NAME: sets NAME to a port of the loopback on which nobody listens. Clients' own ports, which the kernel
# chooses, are above these.
free_port() {
	local port=$((10000 + RANDOM % 20000))

	while answers $port; do
		port=$((10000 + RANDOM % 20000))
	done
	printf -v "$1" %s $port
}

# start NAME SET OPTION... -- COMMAND...: a program of that set in the background, with devices by these options of
# wd-emulate, with its output in NAME.log. It ends with the test at the latest. Before it: stock or provided.
# With SIMULATED the devices are the kernel's, and there are no options.
started=
SIMULATED=
start() {
	local devices=(wd-emulate --stats "$PWD/$1.stats")

	[ -z "$SIMULATED" ] || devices=(env)
	"$TOP/scripts/programs" "$2" "${SUITE[@]}" -- "${devices[@]}" "${@:3}" >"$1.log" 2>&1 </dev/null &
	started="$started $!"
	trap end_all EXIT
}

# listening NAME PORT: waits until the program that was started last takes connections. It fails when that has ended.
listening() {
	until_true 20 up_or_gone "$2"
	answers "$2" || {
		echo "$1 has ended:"
		cat "$1.log"
		return 1
	}
}
up_or_gone() { answers "$1" || has_ended; }

# has_ended: the program that was started last.
has_ended() { gone "${started##* }"; }

# gone PID: it has ended. A zombie has, too: a container's first process may leave them.
gone() {
	! kill -0 "$1" 2>/dev/null || [ "$(cut -d' ' -f3 "/proc/$1/stat" 2>/dev/null)" = Z ]
}

# requests FILE KIND: how many requests the devices of this kind, or of all with '', have had, as wd-emulate --stats FILE says.
requests() { awk -v kind="hisi_$2" 'index($1, kind) == 1 { n += $3 } END { print n + 0 }' "$1"; }

# busy FILE KIND: at least one.
busy() {
	[ "$(requests "$1" "$2")" -gt 0 ] || {
		echo "no request to a device hisi_$2:"
		cat "$1"
		return 1
	}
}

# end_all: what start has started ends, with all that it leaves.
end_all() {
	local pid family

	for pid in $started; do
		family=$(family_of "$pid")
		# In a root folder that one is unshare, which ignores the signal.
		# shellcheck disable=SC2046 # numbers
		[ ${#SUITE[@]} = 0 ] || kill $(children "$pid") 2>/dev/null || :
		kill "$pid" 2>/dev/null || :
		until_true 20 gone "$pid" || :
		# shellcheck disable=SC2086 # numbers
		kill -KILL $family 2>/dev/null || :
	done
	started=
}

# children PID: the processes of which that one is the parent, one in a line. family_of PID: it, and all below it.
children() { xargs -n 1 <"/proc/$1/task/$1/children"; }
family_of() {
	local child

	echo "$1"
	for child in $(children "$1" 2>/dev/null); do
		family_of "$child"
	done
}

# client_conf LINE...: the file client.cnf with libssl's settings for the client, as in Groups = X25519.
client_conf() {
	printf '%s\n' 'openssl_conf = init' '[init]' 'ssl_conf = ssl' '[ssl]' 'system_default = client' '[client]' "$@" >client.cnf
}

# handshakes COUNT LINE... [-- FILE]: full handshakes with the server at PORT, AT_ONCE at a time, all of which must be
# good. The lines are for client_conf. With FILE they go on until it exists.
PORT=
AT_ONCE=8
handshakes() {
	local count=$1 lines=() until=()

	shift
	while [ $# -gt 0 ] && [ "$1" != -- ]; do
		lines+=("$1")
		shift
	done
	[ $# = 0 ] || until=("$2")
	client_conf "${lines[@]}"
	OPENSSL_CONF=$PWD/client.cnf python3 "$TOP/selftests/tls/client.py" "$PORT" "$count" $AT_ONCE handshakes \
		"$CERTS/all.pem" "${until[@]}"
}
# shellcheck disable=SC2034 # of those who include this file
WITH_RSA='SignatureAlgorithms = RSA-PSS+SHA256:RSA+SHA256'
# shellcheck disable=SC2034
WITH_EC='SignatureAlgorithms = ECDSA+SHA256'

# devices_did NAME COUNT: ends all that is running; the devices of the program NAME have done that many requests.
devices_did() {
	local did

	end_all
	did=$(requests "$1.stats" '')
	[ "$did" -ge "$2" ] || {
		echo "expected $2 requests, got $did:"
		cat "$1.stats"
		return 1
	}
}
