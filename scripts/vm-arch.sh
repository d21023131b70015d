# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by scripts/vm: what depends on the architecture of the machine that it runs, and whether KVM runs it.
# Reads the variables of scripts/vm; sets arch, kernel, qemu, console, machine_deps.

# The kernel's name says which architecture it is for; without a kernel, the architecture chooses one.
choose_arch() {
	local of=amd64

	case $kernel in
	arm64|*-arm64) of=arm64 ;;
	'') of=${arch:-amd64} ;;
	*) [ "$arch" != arm64 ] || [ "$kernel" = debug ] || { of=arm64; kernel=${kernel%-amd64}-arm64; } ;;
	esac
	[ "${arch:=$of}" = "$of" ] || fail "--arch $arch: the kernel $kernel is for $of"
	case $arch in
	amd64) qemu=qemu-system-x86_64 console=ttyS0 machine_deps= ;;
	arm64) qemu=qemu-system-aarch64 console=ttyAMA0 machine_deps=cross ;;
	*) fail "--arch $arch: expected amd64 or arm64" ;;
	esac
	[ -n "$kernel" ] || kernel=$("$top"/scripts/kernel default)$([ "$arch" = amd64 ] || echo "-$arch")
}

# Prints the folder that becomes the root of the machine.
machine_root() {
	if [ "$arch" = amd64 ]; then
		echo /
	else
		"$top"/scripts/userland "$arch"
	fi
}

# An existing /dev/kvm may still fail to run a guest (nested, restricted). So try it: boot this kernel without a
# root, which makes it panic, once for each kernel and boot of this machine. WARPDRIVE_ACCEL=kvm|tcg overrides.
kvm_boots() {
	local code=0
	# A shell of its own, whose message about an abort is dropped.
	(timeout -k 1 20 qemu-system-x86_64 -no-user-config -nodefaults -display none -no-reboot -machine q35 -m 512M \
		-accel kvm -cpu host -smp "$smp" -serial "file:$run/kvm" -kernel "$root/boot/vmlinuz-$release" \
		-append 'console=ttyS0 panic=-1' 9>&-; exit $?) >/dev/null 2>&1 || code=$?
	[ $code = 0 ] && grep -qs 'Kernel panic' "$run/kvm"
}
kvm_works() {
	local answer=$cache/kvm-$release-$smp boot yes=no

	case ${WARPDRIVE_ACCEL:-} in
	kvm) return 0 ;;
	tcg) return 1 ;;
	'') ;;
	*) fail "WARPDRIVE_ACCEL=$WARPDRIVE_ACCEL: expected kvm or tcg" ;;
	esac
	[ -w /dev/kvm ] && [ "$(uname -m)" = x86_64 ] || return
	boot=$(cat /proc/sys/kernel/random/boot_id)
	if ! grep -qs "^$boot " "$answer"; then
		! kvm_boots || yes=yes
		echo "$boot $yes" >"$answer"
	fi
	[ "$(cut -d' ' -f2 "$answer")" = yes ]
}

# Prints the frequency in kHz of the host's counter, which guests of TCG read as theirs. Prints nothing where no
# compiler is installed.
counter_khz() {
	local program=$cache/counter-khz source=$top/scripts/counter-khz.c

	if [ ! "$program" -nt "$source" ]; then
		gcc -std=gnu11 -O2 -o "$program.$$" "$source" 2>/dev/null && mv "$program.$$" "$program" || return
	fi
	"$program"
}

machine_amd64() {
	local khz

	args+=(-machine q35)
	if kvm_works; then
		args+=(-accel kvm -cpu host)
	else
		# TCG executes rep movsb byte by byte: without ERMS the kernel copies and clears several times as fast.
		args+=(-accel tcg,thread=$threads -cpu max,la57=off,erms=off)
		# All CPUs read the host's counter. The kernel doesn't know that, and would use the HPET, where each
		# read exits to the host.
		append+=' tsc=reliable'
		# The kernel would measure the counter while the host runs other programs, and have a clock that is
		# too fast: on a busy host ten times.
		khz=$(counter_khz) && append+=" tsc_early_khz=$khz"
		# On a busy host the timer's interrupts come too late for the kernel's test of them, which panics.
		append+=' no_timer_check'
	fi
}

# GICv3 with its ITS, and firmware that boots with ACPI, as servers have. The CPU is near the hardware's: ARMv8.2 with
# atomic instructions, without pointer authentication, whose computation slows TCG down.
machine_arm64() {
	[ "${WARPDRIVE_ACCEL:-tcg}" = tcg ] || fail "WARPDRIVE_ACCEL=$WARPDRIVE_ACCEL: --arch arm64 runs with tcg only"
	args+=(-machine virt,gic-version=3,its=on -bios /usr/share/qemu-efi-aarch64/QEMU_EFI.fd)
	args+=(-accel tcg,thread=$threads -cpu neoverse-n1)
}

# Adds QEMU's arguments for the machine to args, and what its kernel needs to append.
machine_args() {
	"machine_$arch"
	# TCG translates code at one address once, so programs start three times as fast at fixed addresses.
	case " ${args[*]} " in *' tcg'*) append+=' norandmaps' ;; esac
}
