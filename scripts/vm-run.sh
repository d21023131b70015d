# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by scripts/vm and scripts/machine: the ports for a command's output and status, the run of QEMU, what its end
# means, and the clean-up. Reads their variables top, run, logs, release, interactive, timeout, qemu; adds to args.
# File descriptor 9 is the caller's lock, which QEMU must not inherit.

me=${0##*/}
run=
readers=()

# Long commands run in the background, because bash handles signals during wait, but not during a command.
cleanup() {
	local running

	running=$(jobs -p)
	[ -z "$running" ] || kill $running 2>/dev/null || true
	wait
	[ -n "$run" ] || return 0
	[ ! -e "$run/console" ] || mv -f "$run/console" "$logs/console.log"
	[ ! -e "$run/dmesg" ] || mv -f "$run/dmesg" "$logs/dmesg.log"
	rm -rf "$run"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# The serial console, and virtio ports for the status and both outputs, or for a terminal.
result_ports() {
	args+=(-device virtio-serial-pci -serial "file:$run/console"
		-chardev "file,id=status,path=$run/status" -device virtserialport,chardev=status,name=status)
	if [ "$interactive" = 1 ]; then
		args+=(-chardev stdio,id=tty,signal=off -device virtconsole,chardev=tty)
		return
	fi
	mkfifo "$run/stdout" "$run/stderr"
	args+=(-chardev "file,id=stdout,path=$run/stdout" -device virtserialport,chardev=stdout,name=stdout
		-chardev "file,id=stderr,path=$run/stderr" -device virtserialport,chardev=stderr,name=stderr)
}

# Runs QEMU with args until it ends, and sets code.
run_machine() {
	: >"$run/console"
	: >"$run/status"
	code=0
	if [ "$interactive" = 1 ]; then
		echo "$me: booting; leave with exit or Ctrl-D" >&2
		$qemu "${args[@]}" 9>&- || code=$?
		stty sane 2>/dev/null || true
		return
	fi
	cat "$run/stdout" 9>&- &
	readers+=($!)
	cat "$run/stderr" >&2 9>&- &
	readers+=($!)
	# QEMU must end with this script: an orphan would keep the lock.
	setpriv --pdeathsig TERM timeout -k 5 "$timeout" $qemu "${args[@]}" </dev/null >"$run/qemu" 2>&1 9>&- &
	wait $! || code=$?
	# QEMU's end closes both pipes; if QEMU never opened them, their readers would wait forever.
	if [ "$code" = 0 ] || [ -s "$run/console" ]; then
		wait "${readers[@]}" || true
		readers=()
	fi
}

# A CPU that QEMU before 8.1 emulates may keep a translation of a breakpoint that the kernel has already replaced, when
# the kernel patches code that another CPU runs. The next CPU there takes an oops, "int3", in the kernel's own code.
emulator_failed() {
	case " ${args[*]} " in *' tcg'*) ;; *) return 1 ;; esac
	tr -d '\r' <"$run/console" | awk -v splats="$(paste -s -d '|' "$top/scripts/kernel-splats")" '
		!oops && $0 ~ splats { oops = NR; if (!/int3: 0000/) exit }
		oops && /RIP: / { ours = /\[[a-z0-9_]+\]$/; found = 1; exit }
		END { exit !found || ours }'
}

# The kernel panicked, or QEMU aborted (128 + SIGABRT), before the first process began: none of our code has run.
boot_failed() {
	! grep -q 'vm: init' "$run/console" && { [ "$code" = 134 ] || grep -q 'Kernel panic' "$run/console"; }
}

last_lines() {
	tail -n 15 "$run/console" | tr -d '\r' | sed 's/^/  | /' >&2
}

# Ends this script with the command's status, or with the reason why there is none.
judge() {
	local first status

	first=$(grep -n -m 1 -a -E -f "$top/scripts/kernel-splats" "$run/console" | cut -d: -f1 || true)
	status=$(tr -d '\r\n' <"$run/status")
	if [ -n "$first" ]; then
		echo "$me: the kernel ($release) printed warnings or errors; the first lines:" >&2
		# A reader like head would stop early: its writer would die of SIGPIPE, and this script would end.
		sed -n "$first,$((first + 59))p" "$run/console" | tr -d '\r' | sed 's/^/  | /' >&2
		echo "$me: $logs/console.log has the complete console" >&2
	fi
	if emulator_failed; then
		echo "$me: QEMU executed a breakpoint that the kernel had replaced; run it again" >&2
		exit 72
	fi
	if [ "$code" = 124 ] || [ "$code" = 137 ]; then
		echo "$me: timed out after $timeout s; the last lines of the console:" >&2
		last_lines
		exit 124
	fi
	if [ -z "$status" ]; then
		[ ! -s "$run/qemu" ] || cat "$run/qemu" >&2
		echo "$me: the machine ended without a status (QEMU exit status $code);" \
			"the last lines of the console:" >&2
		last_lines
		exit 71
	fi
	[ -z "$first" ] || exit 70
	exit "$status"
}
