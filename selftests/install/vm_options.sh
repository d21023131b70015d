#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# scripts/vm keeps its promises about status, output, complaints and time. Boots a few VMs.
set -u
cd "${TOP:-$(dirname "$0")/../..}" || exit 1
. selftests/include/tap.sh

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
vm() { scripts/vm --no-modules "$@" >"$scratch/out" 2>"$scratch/err"; }
# gives CODE COMMAND...
gives() {
	local want=$1 code=0
	shift
	"$@" || code=$?
	[ $code = "$want" ] || { echo "exit status $code, not $want"; cat "$scratch/out" "$scratch/err"; return 1; }
}
# shellcheck disable=SC2016
facts() {
	gives 3 vm --smp 4 --numa 2 --mem 1G -- bash -c 'echo "$PWD"; nproc
		ls -d /sys/devices/system/node/node? | wc -l
		id -u; readlink /proc/self/fd/0; echo words >&2
		touch build/vm/written; touch /usr/unwritten; exit 3'
}
output() {
	diff <(printf '%s\n' "$PWD" 4 2 0 /dev/null) "$scratch/out" &&
		diff <(echo words) <(grep -v '^vm: waiting' "$scratch/err")
}
written() { [ -e "${BUILD:-build}/vm/written" ] && rm "${BUILD:-build}/vm/written"; }
unwritten() { [ ! -e /usr/unwritten ]; }
complaint() {
	gives 70 vm -- sh -c 'echo "BUG: made up by a test" >/dev/kmsg; exit 0' &&
		grep -q 'made up by a test' "$scratch/err"
}
# A fault of QEMU's TCG, as the kernel reports it: RIP is in the kernel's code, or in a module.
int3() {
	gives "$1" vm \
		-- sh -c "printf '%s\n' 'Oops: int3: 0000 [#1] PREEMPT SMP' 'CPU: 0 PID: 1' 'RIP: 0010:$2' >/dev/kmsg"
}
emulated() { WARPDRIVE_ACCEL=tcg int3 72 'sched_clock_cpu+0x9/0x190'; }
in_module() { WARPDRIVE_ACCEL=tcg int3 70 'qm_get+0x9/0x190 [hisi_qm]'; }
# make_qemu COUNT LINE...: a QEMU whose first COUNT boots end with these lines on the console, and with the status end.
make_qemu() {
	printf '%s\n' "${@:2}" >"$scratch/console"
	mkdir -p "$scratch/bin"
	echo "$1" >"$scratch/faults"
	cat >"$scratch/bin/qemu-system-x86_64" <<-EOF
		#!/bin/bash
		left=\$(cat "$scratch/faults")
		[ "\$left" -gt 0 ] || exec $(command -v qemu-system-x86_64) "\$@"
		echo \$((left - 1)) >"$scratch/faults"
		for word; do
			case \$word in
			file:*/console) console=\${word#file:} ;;
			*/stdout|*/stderr) : >"\${word##*path=}" ;;
			esac
		done
		cat "$scratch/console" >"\$console"
		exit ${end:-0}
	EOF
	chmod +x "$scratch/bin/qemu-system-x86_64"
}
stale=('int3: 0000 [#1] PREEMPT SMP' 'RIP: 0010:__mod_timer+0x1c3/0x370')
panic='Kernel panic - not syncing: IO-APIC + timer does not work!'
boots_again() {
	make_qemu 2 "$@"
	WARPDRIVE_ACCEL=tcg PATH=$scratch/bin:$PATH gives 5 vm -- sh -c 'echo once; exit 5' &&
		grep -qx once "$scratch/out" &&
		[ "$(grep -c 'booting again' "$scratch/err")" = 2 ]
}
# gives_up CODE LINE...
gives_up() {
	make_qemu 3 "${@:2}"
	WARPDRIVE_ACCEL=tcg PATH=$scratch/bin:$PATH gives "$1" vm -- true
}
aborts() {
	local end=134

	boots_again 'Linux version'
}
# Our first process has begun: the panic may be our fault.
panics_later() {
	make_qemu 1 'vm: init' "$panic"
	WARPDRIVE_ACCEL=tcg PATH=$scratch/bin:$PATH gives 71 vm -- true && ! grep -q 'booting again' "$scratch/err"
}
# The kernel of a TCG guest knows how fast the host's counter is. A clock that was measured beside busy programs is too
# fast, and each limit of time in the guest too short.
clock() {
	local guest host

	gcc -std=gnu11 -O2 -o "$scratch/counter-khz" scripts/counter-khz.c || return
	WARPDRIVE_ACCEL=tcg gives 0 vm -- sh -c 'dmesg | grep -o "tsc: Detected .*MHz"' || return
	# The processor's, and the counter's if that is another one.
	guest=$(tail -n 1 "$scratch/out" | tr -dc 0-9)
	host=$("$scratch/counter-khz")
	echo "the guest's counter: $guest kHz, the host's: $host kHz"
	[ $((guest - host)) -gt -100 ] && [ $((guest - host)) -lt 100 ]
}
too_long() { gives 124 vm --timeout 15 -- sleep 600; }
refuses() {
	gives 69 vm --arch m68k -- true && gives 69 vm --arch amd64 --kernel 6.1-arm64 -- true &&
		gives 69 vm --kernel 2.6x -- true && gives 2 vm --nonsense -- true
}

# begin NAME: starts a long-running VM in its own session; the session's number is in NAME.pid.
begin() {
	setsid scripts/vm --no-modules -- sh -c 'echo up; sleep 600' >"$scratch/$1.out" 2>"$scratch/$1.err" &
	echo $! >"$scratch/$1.pid"
}
# until_true COMMAND...: waits for as long as other runs may keep their VMs.
until_true() {
	local end=$((SECONDS + 900))
	until "$@"; do
		[ $SECONDS -lt $end ] || { echo "'$*' was not true in time"; return 1; }
		sleep 0.2
	done
}
# A container's first process may leave the ended ones as zombies.
nobody_in() { ! ps -s "$1" -o stat= | grep -qv '^Z'; }
# ended NAME SIGNAL CODE: the signal ends the VM and all its processes at once.
ended() {
	local pid code=0
	pid=$(cat "$scratch/$1.pid")
	kill "-$2" "$pid"
	wait "$pid" 2>/dev/null || code=$?
	[ $code = "$3" ] || { echo "exit status $code, not $3"; cat "$scratch/$1.err"; return 1; }
	until_true nobody_in "$pid"
}
# As if another VM of that kernel were being prepared.
interrupted() {
	local cache=${WARPDRIVE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/warpdrive} other code=0

	touch "$scratch/before"
	begin first
	until_true grep -q up "$scratch/first.out" || return
	exec {other}>"$cache/vm-$(scripts/kernel release "$(scripts/kernel default)").lock"
	flock $other
	begin second {other}>&-
	until_true grep -q '^vm: waiting' "$scratch/second.err" && ended second TERM 143 || code=1
	exec {other}>&-
	ended first TERM 143 && return $code
}
side_by_side() {
	begin fourth
	begin fifth
	until_true grep -q up "$scratch/fourth.out" && until_true grep -q up "$scratch/fifth.out" &&
		ended fourth TERM 143 && ended fifth TERM 143
}
# A new name: the output of an old one would still be there before the new VM empties the file.
killed() {
	begin third
	until_true grep -q up "$scratch/third.out" && ended third KILL 137
}
# Checks the folders of those two only: other runs create and change theirs in the same place meanwhile.
no_folder_left() {
	! find "${BUILD:-build}/vm" -maxdepth 1 \( -name "run.$(cat "$scratch/first.pid").*" -o \
		-name "run.$(cat "$scratch/second.pid").*" \) \
		-newer "$scratch/before" | grep .
}

test_that 'the exit status is that of the command' facts
test_that 'the output is that of the command, and nothing else' output
test_that 'the checkout is writable' written
test_that "the host's root is not" unwritten
test_that 'a complaint of the kernel fails the run' complaint
test_that "a stale breakpoint in the kernel is the emulator's fault" emulated
test_that 'one in a module is not' in_module
test_that 'a boot that such a fault ends is repeated' boots_again "${stale[@]}"
test_that 'twice at most' gives_up 72 "${stale[@]}"
test_that 'a boot that panics before our first process is repeated' boots_again "$panic"
test_that 'twice at most, too' gives_up 71 "$panic"
test_that 'so is one that ends with an assertion of QEMU' aborts
test_that 'a panic behind that counts' panics_later
test_that "the guest's clock runs as the host's" clock
test_that 'time runs out' too_long
test_that 'a signal ends it, as it works and as it waits' interrupted
test_that 'and it leaves no folder' no_folder_left
test_that 'QEMU goes with it when it is killed' killed
test_that 'two VMs of a kernel run side by side' side_by_side
test_that 'what it does not know is refused' refuses
tap_done
