# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Programs of others, from scripts/programs, with devices; included by the scripts of areas that run such programs.
# Their function need_built calls not_here for what was left out of the build.

. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"
. "$(dirname "${BASH_SOURCE[0]}")/kept.sh"

# Without these a user's own environment would change what is tested.
for name in $(compgen -e | grep -E '^WD_' | grep -vE '^WD_TEST_'); do
	unset "$name"
done

# need_set SET: skips the whole script without that set of programs, without the emulator, or without what need_built
# wants. need_devices: the same without a set.
need_set() {
	local why

	need_devices
	why=$("$TOP/scripts/programs" "$1" 2>&1 </dev/null) || not_here "$(tail -n 1 <<<"$why")"
}
need_devices() {
	need_built
	[ -x "$OUT/bin/wd-emulate" ] || not_here 'the emulator was left out of the build'
}
not_here() {
	echo "1..0 # SKIP $*"
	exit 4
}

# need_kept_set SET: the same for a set that is fetched with WD_TEST_LONG=1 only. Else it has to be in the cache.
need_kept_set() {
	[ -n "${WD_TEST_LONG:-}" ] || kept programs "$1" ||
		not_here "the set is not in the cache: scripts/programs $1 fetches it"
	need_set "$1"
}

# with_set SET COMMAND..., with further options of scripts/programs in SUITE.
with_set() { "$TOP/scripts/programs" "$1" "${SUITE[@]}" -- "${@:2}"; }
SUITE=()

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

# requests FILE KIND: how many requests the devices of this kind, or of all with '', have had, as wd-emulate --stats
# FILE says.
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
