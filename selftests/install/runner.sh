#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The runner counts what happened, and silence never passes.
set -u
cd "${TOP:-$(dirname "$0")/../..}" || exit 1
. selftests/include/tap.sh

scratch=$(mktemp -d)
run=
trap '[ -z "$run" ] || kill -9 $run 2>/dev/null; rm -rf "$scratch"' EXIT
mkdir -p "$scratch/selftests" "$scratch/scripts" "$scratch/build/user/tests/area"
runner_into() {
	cp selftests/{exec,runner.py,count.py,limits.py,shared.py} "$1/selftests/"
	cp scripts/kernel-splats "$1/scripts/"
	printf '%s\n' '# A comment.' 'area/known the cause' >"$1/selftests/flaky"
}
runner_into "$scratch"
mkdir "$scratch/selftests/area"

code=0
list=$scratch/build/user/tests/area/list
# runs OPTION...: a run with these options, which sets code.
runs() {
	code=0
	BUILD=$scratch/build python3 "$scratch/selftests/runner.py" "$@" >"$scratch/said" || code=$?
}
runs_native() { runs "$@" --native "$scratch/build/user"; }
# ends "LAST LINE" CODE: what the run said last.
ends() {
	[ "$(tail -n 1 "$scratch/said")" = "$1" ] && [ $code = "$2" ] && return
	cat "$scratch/said"
	echo "exit status $code"
	return 1
}
# gives "LAST LINE" CODE [LIMIT] [FLAGS]: runs the program from standard input
gives() {
	cat >"$scratch/program"
	chmod +x "$scratch/program"
	echo "native area ${3:-600} ${4:--} $scratch/program" >"$list"
	rm -rf "$scratch"/{ran,build/test}
	runs_native
	ends "$1" "$2"
}
says() { printf '#!/bin/sh\n%s\n' "$1" | gives "${@:2}"; }
# share RUNNING STOLEN FROM TO: the share on a machine with two CPUs, 200 ticks later, is within FROM and TO
share() {
	PYTHONPATH=$scratch/selftests python3 -B - "$@" <<-'EOF'
	import sys
	import limits
	running, stolen, low, high = map(float, sys.argv[1:])
	stat = "cpu  {} 0 0 0 0 0 0 {} 0 0\ncpu0 0\ncpu1 0\nprocs_running {}\n"
	begin = limits.Machine(stat.format(0, 0, 1))
	end = limits.Machine(stat.format(int(200 - stolen), int(stolen), int(running) + 1))
	sys.exit(not low <= end.share(begin) <= high)
	EOF
}
nothing() {
	: >"$list"
	runs_native
	ends '0 passed, 0 failed, 0 skipped' 1
}

# A VM as the runner sees it: bash, which ends its children when it is terminated.
cat >"$scratch/scripts/vm" <<'EOF'
#!/bin/bash
trap 'kill $(jobs -p); echo "$BASHPID" >"${0%/*}/../vm-ended"; exit 143' TERM
sleep 600 &
echo $! >"${0%/*}/../sleeper"
cat "${0%/*}/../vm-says" 2>/dev/null
wait
EOF
chmod +x "$scratch/scripts/vm"

# A program that never ends, after writing down its process number.
printf '#!/bin/bash\necho $$ >%q\nexec sleep 600\n' "$scratch/sleeper" >"$scratch/endless"
chmod +x "$scratch/endless"

until_true() {
	local end=$((SECONDS + 600))
	until "$@"; do
		[ $SECONDS -lt $end ] || { echo "'$*' was not true in time"; return 1; }
		sleep 0.05
	done
}
gone() { ! kill -0 "$1" 2>/dev/null || [ "$(cut -d' ' -f3 "/proc/$1/stat" 2>/dev/null)" = Z ]; }

# ended_by SIGNAL CODE KIND OPTION...: the signal ends a run of one endless program of that kind, and all its processes.
ended_by() {
	local signal=$1 want=$2

	echo "$3 area 600 - $scratch/endless" >"$list"
	rm -f "$scratch/sleeper"
	# The shell makes its background jobs ignore SIGINT.
	BUILD=$scratch/build env --default-signal=INT,HUP python3 "$scratch/selftests/runner.py" "${@:4}" \
		>"$scratch/said" 2>&1 &
	run=$!
	code=0
	until_true test -s "$scratch/sleeper" || return
	kill "-$signal" $run
	wait $run || code=$?
	run=
	[ $code = "$want" ] || { cat "$scratch/said"; echo "exit status $code, not $want"; return 1; }
	until_true gone "$(cat "$scratch/sleeper")"
}
native_ended_by() { ended_by "$1" "$2" native --native "$scratch/build/user"; }
vm_ended_by() {
	rm -f "$scratch/vm-ended"
	ended_by "$1" "$2" vm --vm 6.1 && until_true test -s "$scratch/vm-ended"
}
no_lists_left() {
	! ls "$scratch"/build/test/list.* 2>/dev/null
}
# The reader of the run's output has ended: the run ends at the first line that it can't write.
unheard() {
	rm -f "$scratch/sleeper" "$scratch/vm-ended"
	echo "vm area 600 - $scratch/endless" >"$list"
	printf '@begin area/endless\n@end area/endless 0 1\n' >"$scratch/vm-says"
	BUILD=$scratch/build timeout -k 1 500 python3 "$scratch/selftests/runner.py" --vm 6.1 2>/dev/null | true
	[ "${PIPESTATUS[0]}" != 124 ] || { echo 'it waited for the VM'; return 1; }
	until_true test -s "$scratch/vm-ended" && until_true gone "$(cat "$scratch/sleeper")"
}

# emulator_fails TIMES "LAST LINE" CODE: that often, the VM ends with status 72 while its only program runs.
emulator_fails() {
	local code=0

	mkdir -p "$scratch/other/scripts" "$scratch/other/selftests/area"
	runner_into "$scratch/other"
	cat >"$scratch/other/scripts/vm" <<-EOF
		#!/bin/bash
		echo boot >>"$scratch/boots"
		echo '@begin area/endless'
		[ \$(wc -l <"$scratch/boots") -gt $1 ] || { echo 'not ok 1 - cut'; exit 72; }
		printf '%s\n' 'ok 1 - whole' '@end area/endless 0 1'
	EOF
	chmod +x "$scratch/other/scripts/vm"
	: >"$scratch/boots"
	echo "vm area 600 - $scratch/endless" >"$list"
	BUILD=$scratch/build python3 "$scratch/other/selftests/runner.py" --vm 6.1 >"$scratch/said" || code=$?
	[ "$(tail -n 1 "$scratch/said")" = "$2" ] && [ $code = "$3" ] || { cat "$scratch/said"; return 1; }
}

# Of three kernels, the first one runs everything, the others the program that selftests/brief names, the last one also
# the programs of an area that differs between kernels.
one_kernel_runs_all() {
	printf '# A comment.\narea/endless\n' >"$scratch/other/selftests/brief"
	cat >"$scratch/other/scripts/vm" <<-EOF
		#!/bin/bash
		# The list is the last argument but one.
		list=\${@: -2:1}
		while read -r kind area limit program; do
			echo "\$2 \${program##*/}" >>"$scratch/ran"
			printf '@begin %s\nok 1\n@end %s 0 1\n' "\$area/\${program##*/}" "\$area/\${program##*/}"
		done <"\$list"
	EOF
	: >"$scratch/ran"
	mkdir -p "$scratch/other/selftests/uacce" "$scratch/build/user/tests/uacce"
	printf 'vm area 600 - %s\n' "$scratch/endless" "$scratch/other-program" >"$list"
	printf 'vm uacce 600 %s %s\n' - "$scratch/part" user "$scratch/long-part" \
		>"$scratch/build/user/tests/uacce/list"
	BUILD=$scratch/build python3 "$scratch/other/selftests/runner.py" --vm 1 --vm 2 --vm 3 >"$scratch/said" ||
		return
	[ "$(sort "$scratch/ran" | xargs)" = '1 endless 1 long-part 1 other-program 1 part 2 endless 3 endless 3 part' ]
}

# Each VM waits for the other one to begin.
two_machines() {
	local code=0

	cat >"$scratch/other/scripts/vm" <<-EOF
		#!/bin/bash
		list=\${@: -2:1}
		: >"$scratch/began.\$\$"
		while [ "\$(ls "$scratch"/began.* | wc -l)" != 2 ]; do sleep 0.05; done
		while read -r kind area limit program; do
			printf '@begin %s\nok 1\n@end %s 0 1\n' "\$area/\${program##*/}" "\$area/\${program##*/}"
		done <"\$list"
	EOF
	rm -rf "$scratch/build/user/tests/uacce"
	printf 'vm area 600 - %s\n' "$scratch/endless" "$scratch/other-program" "$scratch/part" >"$list"
	BUILD=$scratch/build timeout 500 python3 "$scratch/other/selftests/runner.py" --vm 6.1 >"$scratch/said" ||
		code=$?
	ends '3 passed, 0 failed, 0 skipped' 0
}

# Each run of the program leaves a line in "ran".
once_bad='echo x >>ran; [ $(wc -l <ran) -gt 1 ] && echo "ok 1 - a" || echo "not ok 1 - a"'
ran() { [ "$(wc -l <"$scratch/ran")" = "$1" ] || { echo "ran $(wc -l <"$scratch/ran") times, not $1"; return 1; }; }
flaky() { grep -qx "flaky programs: $1" "$scratch/said" || { cat "$scratch/said"; return 1; }; }

bad_once() {
	says "$once_bad" '1 passed, 0 failed, 0 skipped' 0 && flaky 1 && ran 2 &&
		grep -q '^  native: area/program: a; both outputs: .*/test/flaky/native-area-program.1' \
			"$scratch/said" &&
		grep -qx 'not ok 1 - a' "$scratch/build/test/flaky/native-area-program.1" &&
		grep -qx 'ok 1 - a' "$scratch/build/test/flaky/native-area-program.2" &&
		grep -qx 'not ok 1 - a' "$scratch/build/test/native-area.log" &&
		grep -qx 'ok 1 - a' "$scratch/build/test/native-area-again-program.log"
}
bad_always() {
	says 'echo x >>ran; echo "ok 1 - a"; echo "not ok 2 - b"' '1 passed, 1 failed, 0 skipped' 1 && flaky 0 && ran 2
}
strict_once() { says "$once_bad" '0 passed, 1 failed, 0 skipped' 1 600 strict && flaky 0 && ran 1; }
hangs_once() {
	says 'echo x >>ran; [ $(wc -l <ran) -gt 1 ] || sleep 3600; echo "ok 1 - a"' \
		'0 passed, 1 failed, 0 skipped' 1 2 && ran 1
}
reports_once() {
	says "echo '==1==ERROR: AddressSanitizer: heap-use-after-free on address 0x1'; $once_bad" \
		'0 passed, 1 failed, 0 skipped' 1 && ran 1
}
leaves_no_group() {
	says "sleep 600 & echo \$! >$scratch/sleeper; echo 'ok 1 - a'" '1 passed, 0 failed, 0 skipped' 0 &&
		until_true gone "$(cat "$scratch/sleeper")" &&
		grep -qx '# left processes behind, which are killed: sleep' "$scratch/build/test/native-area.log"
}
# several N "LAST LINE" CODE: that many programs fail once; the first is known to.
several() {
	local number=0 program

	rm -rf "$scratch/build/test" "$scratch"/*.ran
	for program in known b c d e f g h i j k; do
		[ $((number++)) -lt "$1" ] || break
		program=$scratch/$program
		printf '#!/bin/sh\n[ -e $0.ran ] && echo "ok 1" || { : >$0.ran; echo "not ok 1"; }\n' >"$program"
		chmod +x "$program"
		echo "native area 600 - $program"
	done >"$list"
	runs_native
	ends "$2" "$3"
}
two_known() { several 2 '2 passed, 0 failed, 0 skipped' 0 && flaky 2 && grep -qx '    the cause' "$scratch/said"; }
three() { several 3 '3 passed, 1 failed, 0 skipped' 1 && flaky 3; }
many() { several 11 '0 passed, 11 failed, 0 skipped' 1 && flaky 0; }

# in_vm SAYS: the VM's only program fails in its first boot and passes later; the first boot's console has SAYS.
in_vm() {
	mkdir -p "$scratch/other/scripts" "$scratch/other/selftests/area"
	rm -rf "$scratch/build/user/tests/uacce"
	runner_into "$scratch/other"
	cat >"$scratch/other/scripts/vm" <<-EOF
		#!/bin/bash
		echo boot >>"$scratch/boots"
		logs=\$6
		mkdir -p "\$logs"
		word='not ok'
		[ \$(wc -l <"$scratch/boots") = 1 ] || word=ok
		[ "\$word" = ok ] || printf '%s\n' 'selftest: begin area/endless' "$1" >"\$logs/console.log"
		printf '%s\n' '@begin area/endless' "\$word 1 - a" '@end area/endless 0 1'
		[ "\$word" = ok ] || [ -z "$1" ] || exit 70
	EOF
	chmod +x "$scratch/other/scripts/vm"
	: >"$scratch/boots"
	echo "vm area 600 - $scratch/endless" >"$list"
	BUILD=$scratch/build python3 "$scratch/other/selftests/runner.py" --vm 6.1 >"$scratch/said"
}
boots() { [ "$(wc -l <"$scratch/boots")" = "$1" ]; }
vm_bad_once() { in_vm '' && flaky 1 && boots 2; }
splat() {
	! in_vm 'BUG: sleeping function called' && flaky 0 && boots 1 &&
		[ "$(tail -n 1 "$scratch/said")" = '0 passed, 2 failed, 0 skipped' ] &&
		sed '1,/^failed:/d' "$scratch/said" | grep -q '^  | .*BUG: sleeping function called'
}

# tier TIER "LAST LINE": of a program that is for every run and one that is for make check-all.
tier() {
	printf '#!/bin/sh\necho "ok 1 - ${0##*/}"\n' | tee "$scratch/now" >"$scratch/later"
	chmod +x "$scratch/now" "$scratch/later"
	printf 'native area 600 %s\n' "- $scratch/now" "later $scratch/later" "long $scratch/later" >"$list"
	runs_native --tier "$1"
	ends "$2" 0
}
check_leaves_out() {
	tier check '1 passed, 0 failed, 0 skipped' && grep -q 'native: area/now:' "$scratch/said" &&
		tail -n 4 "$scratch/said" | grep -q '^left out: programs (1 native): make check-all$'
}
rest_has_it() { tier rest '1 passed, 0 failed, 0 skipped' && grep -q 'native: area/later:' "$scratch/said"; }
counts_on() {
	tier all '2 passed, 0 failed, 0 skipped' &&
		grep -qE '^\[1/2  [0-9]:[0-9]{2}\] ok    native: area/now: 1 passed' "$scratch/said" &&
		grep -qE '^\[2/2 ' "$scratch/said"
}

# two_areas PROGRAM TEXT: a program with this text in two areas.
two_areas() {
	local area

	for area in area beside; do
		mkdir -p "$scratch/$area" "$scratch/selftests/$area" "$scratch/build/user/tests/$area"
		printf '#!/bin/bash\n%s\n' "$2" >"$scratch/$area/$1"
		chmod +x "$scratch/$area/$1"
		echo "native $area 600 - $scratch/$area/$1" >"$scratch/build/user/tests/$area/list"
	done
	rm -rf "$scratch/build/test"
	runs_native
	rm -r "$scratch"/{area,beside} "$scratch"/{selftests,build/user/tests}/beside
	ends '2 passed, 0 failed, 0 skipped' 0
}
# Each ends when the other has begun.
side_by_side() {
	two_areas program ': >here
		for ((i = 0; i < 3000; i++)); do
			[ ! -e ../area/here ] || [ ! -e ../beside/here ] || exit 0
			sleep 0.02
		done
		exit 1'
}
one_script_at_a_time() {
	two_areas program.sh 'mkdir ../one && sleep 0.5 && rmdir ../one'
}

# with_others_vms COMMAND...: while other runs have two VMs, this one runs a program of the host, and then waits. The
# command gets its process number, and sets code.
with_others_vms() {
	local one other

	printf '#!/bin/sh\necho "ok 1"\n' >"$scratch/now"
	chmod +x "$scratch/now"
	cat >"$scratch/other/scripts/vm" <<-EOF
		#!/bin/bash
		: >"$scratch/booted"
		printf '%s\n' '@begin area/endless' 'ok 1 - a' '@end area/endless 0 1'
	EOF
	printf '%s\n' "vm area 600 - $scratch/endless" "native area 600 - $scratch/now" >"$list"
	rm -rf "$scratch/booted" "$scratch/build/test"
	mkdir -p "$scratch/build/test"
	exec {one}>"$scratch/build/test/vm-0.lock" {other}>"$scratch/build/test/vm-1.lock"
	flock $one
	flock $other
	BUILD=$scratch/build python3 "$scratch/other/selftests/runner.py" --vm 6.1 --native "$scratch/build/user" \
		>"$scratch/said" {one}>&- {other}>&- &
	run=$!
	until_true has_run_or_gone || return
	[ ! -e "$scratch/booted" ] || { echo 'the VM did not wait'; return 1; }
	code=0
	"$@" $run || code=$?
	exec {one}>&- {other}>&-
	run=
}
has_run_or_gone() { grep -q 'ok    native: area/now' "$scratch/said" || gone $run; }
goes_on() {
	exec {other}>&-
	wait "$1"
}
is_ended() {
	kill "$1"
	wait "$1"
}
vm_waits() { with_others_vms goes_on && [ -e "$scratch/booted" ] && ends '2 passed, 0 failed, 0 skipped' 0; }
waiting_ends() { with_others_vms is_ended && [ $code = 143 ] && [ ! -e "$scratch/booted" ] && no_lists_left; }

# A test that fails while something of its own runs in the background, for ever.
leaves_nothing() {
	printf '%s\n' "TOP=$PWD OUT=$scratch" ". $PWD/selftests/include/tap.sh" \
		"forever() { while [ ! -e stop ]; do echo \$BASHPID >$scratch/sleeper; sleep 0.05; done; }" \
		"test_it() { forever >/dev/null & until_true 60 test -s $scratch/sleeper; false; }" 'run_tests' \
		>"$scratch/left.sh"
	rm -f "$scratch/sleeper"
	exits 1 bash "$scratch/left.sh" >"$scratch/said" && grep -qx 'not ok 1 - it' "$scratch/said" || return
	until_true gone "$(cat "$scratch/sleeper")"
}

test_that 'each line of TAP is a test' says 'echo "ok 1 - a"; echo "ok 2 - b # SKIP why"; echo "ok 3 - c"' \
	'2 passed, 0 failed, 1 skipped' 0
test_that 'not ok is a failure whatever the exit status' says 'echo "not ok 1 - a"' '0 passed, 1 failed, 0 skipped' 1
test_that 'so is an exit status after nothing but ok' says 'echo "ok 1 - a"; exit 1' '1 passed, 1 failed, 0 skipped' 1
test_that 'so is a crash' says 'kill -SEGV $$' '0 passed, 1 failed, 0 skipped' 1
test_that 'so is a test that never ends' says 'sleep 3600' '0 passed, 1 failed, 0 skipped' 1 2
test_that 'so is a plan that was not kept' says 'echo 1..3; echo "ok 1 - a"' '1 passed, 1 failed, 0 skipped' 1
test_that 'so is one that ends late although it is told to end' \
	says 'trap "" TERM; while :; do sleep 1; done' '0 passed, 1 failed, 0 skipped' 1 2
test_that 'a second of a limit is one of a quiet machine' share 2 0 0.99 1.01
test_that 'it is longer while more want to run than there are CPUs' share 13 0 0.15 0.16
test_that 'it is longer while the host takes CPUs away' share 1 100 0.49 0.51
test_that 'it is never longer than twenty' share 1000 199 0.049 0.051
test_that 'exit status 4 is a skip' says 'echo "# no device"; exit 4' '0 passed, 0 failed, 1 skipped' 1
test_that 'a program without TAP is one test' says 'exit 0' '1 passed, 0 failed, 0 skipped' 0
test_that 'a run without a test is a failure' nothing
for signal in TERM:143 INT:130 HUP:129; do
	test_that "SIG${signal%:*} ends a run with its test" native_ended_by ${signal%:*} ${signal#*:}
	test_that "SIG${signal%:*} ends a run with its VM" vm_ended_by ${signal%:*} ${signal#*:}
done
test_that 'and leaves no list' no_lists_left
test_that 'a run that is killed takes its test along' native_ended_by KILL 137
test_that 'a run that is killed takes its VM along' vm_ended_by KILL 137
test_that 'a run that nobody reads ends its VM' unheard
test_that "a program runs again if QEMU's emulation failed while it ran" \
	emulator_fails 1 '1 passed, 0 failed, 0 skipped' 0
test_that 'not for ever' emulator_fails 9 '0 passed, 1 failed, 0 skipped' 1
test_that 'of several kernels one runs everything' one_kernel_runs_all
test_that 'in two VMs at a time' two_machines
test_that 'a program that fails once runs again, alone, and is named' bad_once
test_that 'one that fails always has failed once' bad_always
test_that 'a strict one does not run again' strict_once
test_that 'nor one that hangs' hangs_once
test_that "nor one with a sanitizer's report" reports_once
test_that 'two such programs pass, and what is known of one is printed' two_known
test_that 'three are a failure' three
test_that 'when many fail, none runs again' many
test_that 'a program of the VM runs again in another boot' vm_bad_once
test_that 'not if the kernel complained' splat
test_that 'make check leaves programs out, and says so' check_leaves_out
test_that 'the rest has what it left out' rest_has_it
test_that 'lines tell how far the run is' counts_on
test_that 'what a failed test left running is ended' leaves_nothing
test_that 'what a program left running is ended and named' leaves_no_group
test_that 'programs of two areas run side by side' side_by_side
test_that 'scripts do not' one_script_at_a_time
test_that "a run waits for another run's VM, but its other programs do not" vm_waits
test_that 'a run that waits can be ended' waiting_ends
tap_done
