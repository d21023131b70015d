#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# wdctl on recorded machines, without modules or root.

. "$(dirname "$0")/../include/tap.sh"
. "$(dirname "$0")/roots.sh"

# golden FILE: FILE must equal standard input.
golden() {
	diff -u - "$1"
}

test_help_lists_every_command_and_needs_nothing() {
	local c

	mkdir empty
	wdctl help >got
	wdctl --help | same - got
	for c in $(wdctl --list-cmds); do
		says "  $c " got
		wdctl help "$c" >one
		says "usage: wdctl $c" one
		wdctl "$c" --help | same - one
	done
}

test_every_command_has_a_manual_page() {
	local c

	for c in $(wdctl --list-cmds); do
		case $c in
		help | version) says ".B $c" <(sed 's/^\.BI help.*/.B help/' "$TOP/configfs-tools/man/wdctl.8") ;;
		*) [ -s "$TOP/configfs-tools/man/wdctl-$c.8" ] ;;
		esac
	done
}

test_every_option_is_in_the_manual_page() {
	local c o

	for c in $(wdctl --list-cmds | grep -vx 'help\|version'); do
		for o in $(wdctl --list-opts $c | tr -d =); do
			[ "$o" != --help ] || continue
			says "${o#--}" <(sed 's/\\-/-/g' "$TOP/configfs-tools/man/wdctl-$c.8")
		done
	done
	for o in $(wdzip --list-opts | tr -d =); do
		[ "$o" = --help ] || says "$o" <(sed 's/\\-/-/g' "$TOP/user/tools/wdzip/wdzip.1")
	done
}

test_version_is_that_of_the_repository() {
	[ "$(wdctl version)" = "wdctl $(cat "$TOP/VERSION")" ]
	[ "$(wdctl --version)" = "wdctl $(cat "$TOP/VERSION")" ]
}

test_bad_usage_ends_with_2_and_says_what() {
	exits 2 wdctl 2>err
	says "no command given" err
	exits 2 wdctl frobnicate 2>err
	says "unknown command 'frobnicate'" err
	exits 2 wdctl list --frobnicate 2>err
	says "unrecognized option '--frobnicate'" err
	exits 2 wdctl list --root 2>err
	says "requires an argument" err
	exits 2 wdctl doctor extra 2>err
	says "unexpected argument 'extra'" err
	exits 2 wdctl list --dry-run 2>err
	exits 2 wdctl load --json 2>err
	exits 2 wdctl help nothing 2>err
	exits 2 wdctl help load unload 2>err
	exits 2 wdctl --list-opts nothing 2>err
}

test_root_must_be_a_folder() {
	exits 2 wdctl list --root missing 2>err
	says "--root missing: No such file or directory" err
	: >file
	exits 2 wdctl list --root file 2>err
	says "--root file: Not a directory" err
	exits 2 wdctl list --root "$(printf 'x%.0s' $(seq 3000))" 2>err
}

test_a_machine_can_be_changed_only_from_itself() {
	make_root r
	exits 2 wdctl load --root r 2>err
	says "add --dry-run" err
	exits 2 wdctl unload --root r 2>err
	says "add --dry-run" err
}

test_list_prints_what_the_kernel_tells() {
	make_root r
	add_device r hisi_zip-0 0000:75:00.0
	add_device r hisi_zip-1 0000:b5:00.0 zone_id=1 simulated=1 iommu=sva-sim priority=-10
	add_shares r hisi_zip-1 256 96 12 150 2
	wdctl list --root r >got
	golden got <<'END'
NAME        PARENT        ALGORITHMS         NODE  PRIORITY  SIMULATED  TOTAL  RESERVED  USED  FREE  STATE
hisi_zip-0  0000:75:00.0  zlib gzip deflate  0     0         no         -      -         -     256   ok
hisi_zip-1  0000:b5:00.0  zlib gzip deflate  1     -10       yes        256    96        12    150   ok
END
}

test_list_sorts_by_number() {
	make_root r
	for i in 10 9 2; do
		add_device r hisi_zip-$i 0000:$i:00.0
	done
	wdctl list --root r | awk 'NR > 1 { print $1 }' >got
	golden got <<'END'
hisi_zip-2
hisi_zip-9
hisi_zip-10
END
}

test_list_names_the_states() {
	make_root r
	add_device r hisi_zip-0 a isolate=1
	add_device r hisi_zip-1 b priority=100
	add_device r hisi_zip-2 c priority=-101
	add_device r hisi_zip-3 d priority=99
	add_device r hisi_zip-4 e priority=-100
	wdctl list --root r | awk 'NR > 1 { print $1, $NF }' >got
	golden got <<'END'
hisi_zip-0 isolated
hisi_zip-1 disabled
hisi_zip-2 disabled
hisi_zip-3 ok
hisi_zip-4 ok
END
}

mainline_device() {
	add_device "$1" "$2" "$3" priority=gone zone_id=gone simulated=gone iommu=gone isolate=gone
}

test_list_serves_a_mainline_kernel() {
	make_root r
	mainline_device r hisi_zip-0 0000:75:00.0
	wdctl list --root r >got
	golden got <<'END'
NAME        PARENT        ALGORITHMS         NODE  PRIORITY  SIMULATED  TOTAL  RESERVED  USED  FREE  STATE
hisi_zip-0  0000:75:00.0  zlib gzip deflate  0     -         -          -      -         -     256   ok
END
}

test_list_json_is_valid_and_complete() {
	make_root r
	add_device r hisi_zip-0 0000:75:00.0
	add_shares r hisi_zip-0 256 96 12 150 2
	put r/sys/kernel/config/uacce/devices/hisi_zip-0/doorbells mapped
	mainline_device r hisi_zip-1 0000:b5:00.0
	wdctl list --json --root r | python3 -c '
import json, sys
a, b = json.load(sys.stdin)["devices"]
assert a == {"name": "hisi_zip-0", "parent": "0000:75:00.0", "physical_function": None,
	"virtual_functions": None, "api": "hisi_qm_v3",
	"algorithms": ["zlib", "gzip", "deflate"], "lacks": [], "node": 0, "priority": 0, "simulated": False,
	"doorbells": "mapped", "iommu": "sva-iommu", "sva": True, "available": 256, "total": 256, "reserved": 96,
	"used": 12, "free": 150, "quarantined": 2, "resets": None, "opens": None, "refused": None, "refused_full": None,
	"ctx_errors": None, "function_requests": None, "requests": None, "request_errors": None, "bytes_in": None,
	"bytes_out": None, "busy_cycles": None, "state": "ok"}, a
assert b["total"] is None and b["free"] is None, b
assert b["priority"] is None and b["simulated"] is None and b["iommu"] is None, b
assert b["node"] == 0 and b["sva"] is True, b
assert b["doorbells"] is None, b
assert set(a) == set(b)'
}

test_doorbells_that_are_mapped_are_named() {
	local mode

	make_root r
	add_device r hisi_zip-0 0000:75:00.0
	for mode in isolated kernel exclusive mapped; do
		put r/sys/kernel/config/uacce/devices/hisi_zip-0/doorbells $mode
		wdctl list --root r >list-$mode
		wdctl doctor --root r >doctor-$mode || :
	done
	not grep doorbells list-isolated list-kernel doctor-isolated doctor-kernel doctor-exclusive
	says 'hisi_zip-0: one section at a time has it (doorbells exclusive)' list-exclusive
	says 'hisi_zip-0: every process that can open it may ring for the queues of all others (doorbells mapped)' \
		list-mapped
	says 'which can corrupt their results (doorbells mapped)' doctor-mapped
	says 'echo kernel >/sys/kernel/config/uacce/devices/hisi_zip-0/doorbells' doctor-mapped
}

test_list_names_the_physical_function_of_a_virtual_one() {
	make_root r
	add_device r hisi_zip-0 0000:75:00.0
	add_device r hisi_zip-1 0000:75:00.1
	put r/sys/class/uacce/hisi_zip-0/device/sriov_numvfs 1
	ln -s ../0000:75:00.0 "$(readlink -f r/sys/class/uacce/hisi_zip-1/device)/physfn"
	wdctl list --root r >got
	says 'hisi_zip-1 is a virtual function of hisi_zip-0' got
	wdctl list --root r hisi_zip-0 >got
	not grep virtual got
	wdctl list --json --root r | python3 -c '
import json, sys
a, b = json.load(sys.stdin)["devices"]
assert a["virtual_functions"] == 1 and a["physical_function"] is None, a
assert b["virtual_functions"] is None and b["physical_function"] == "0000:75:00.0", b'
}

# sec_device ROOT: adds a simulated SEC device.
sec_device() {
	add_device "$1" hisi_sec2-0 0001:00:00.0 simulated=1 "algorithms=cipher
digest
aead"
}

# crypto HASH [FIPS]...: makes the kernel show these algorithms; FIPS is the state of the last one.
crypto() {
	local name

	for name; do
		case $name in
		yes|no) printf 'fips         : %s\n' "$name" ;;
		*) printf '\nname         : %s\ndriver       : %s-generic\ntype         : shash\n' "$name" "$name" ;;
		esac
	done
}

test_list_names_what_a_simulated_device_lacks() {
	make_root r
	sec_device r
	add_device r hisi_sec2-1 0000:76:00.0 algorithms=digest
	crypto sha512 sha256 'cmac(aes)' >r/proc/crypto
	wdctl list --root r >got
	says "hisi_sec2-0 lacks on this kernel: md5 sha1" got
	[ "$(wc -l <got)" = 4 ]
	wdctl list --root r hisi_sec2-1 >got
	[ "$(wc -l <got)" = 2 ]
	wdctl list --json --root r | python3 -c '
import json, sys
a, b = json.load(sys.stdin)["devices"]
assert a["lacks"] == ["md5", "sha1"] and b["lacks"] == [], (a, b)'
	crypto md5 sha1 sha256 sha512 >r/proc/crypto
	wdctl list --root r >got
	[ "$(wc -l <got)" = 3 ]
	: >r/proc/crypto
	wdctl list --root r >got
	says "hisi_sec2-0 lacks on this kernel: md5 sha1 sha224 sha256 sha384 sha512 sha512/224 sha512/256" got
	rm r/proc/crypto
	wdctl list --root r >got
	[ "$(wc -l <got)" = 3 ]
}

test_what_fips_mode_keeps_back_is_lacking() {
	make_root r
	sec_device r
	crypto md5 no sha1 no sha1 yes sha256 yes sha512 yes 'hmac(sha1)' no >r/proc/crypto
	wdctl list --root r >got
	says "hisi_sec2-0 lacks on this kernel: md5" got
	[ "$(grep -c sha1 got)" = 0 ]
}

test_list_without_devices_is_no_error() {
	make_root r
	wdctl list --root r >got 2>err
	[ ! -s got ]
	says "no accelerators" err
	wdctl list --json --root r | python3 -c 'import json, sys; assert json.load(sys.stdin) == {"devices": []}'
}

test_list_takes_names_of_devices_and_parents() {
	make_root r
	add_device r hisi_zip-0 0000:75:00.0
	add_device r hisi_zip-1 0000:b5:00.0
	wdctl list --root r hisi_zip-1 >got
	[ "$(wc -l <got)" = 2 ]
	says hisi_zip-1 got
	wdctl list --root r 0000:75:00.0 >got
	says hisi_zip-0 got
	exits 1 wdctl list --root r hisi_zip-7 2>err
	says "wdctl list: hisi_zip-7: no such device" err
}

test_list_survives_broken_attributes() {
	make_root r
	add_device r hisi_zip-0 a available_instances=many priority= zone_id=1x algorithms= flags=-
	: >r/sys/class/uacce/hisi_zip-0/algorithms
	add_device r hisi_zip-1 b api=gone
	head -c 100000 /dev/zero | tr '\0' x >r/sys/class/uacce/hisi_zip-0/iommu
	wdctl list --root r >got
	golden got <<'END'
NAME        PARENT  ALGORITHMS  NODE  PRIORITY  SIMULATED  TOTAL  RESERVED  USED  FREE  STATE
hisi_zip-0  a       -           0     -         no         -      -         -     -     ok
END
}

test_list_shows_the_node_that_libraries_use() {
	make_root r
	add_device r hisi_zip-0 a zone_id=1
	add_device r hisi_zip-1 b zone_id=-1
	add_device r hisi_zip-2 c zone_id=gone
	wdctl list --root r >got
	golden got <<'END'
NAME        PARENT  ALGORITHMS         NODE  PRIORITY  SIMULATED  TOTAL  RESERVED  USED  FREE  STATE
hisi_zip-0  a       zlib gzip deflate  1     0         no         -      -         -     256   ok
hisi_zip-1  b       zlib gzip deflate  0     0         no         -      -         -     256   ok
hisi_zip-2  c       zlib gzip deflate  0     0         no         -      -         -     256   ok
END
}

test_a_full_disk_is_an_error() {
	make_root r
	add_device r hisi_zip-0 a
	exits 1 wdctl list --root r >/dev/full 2>err
	says "No space left on device" err
}

doctor() {
	wdctl doctor --root "$1" | grep -v '^ok *memlock\|^note *memlock'
}

healthy() {
	make_root "$1"
	install_all "$1"
	load_all "$1"
	add_device "$1" hisi_zip-0 0000:75:00.0
	mkdir -p "$1/sys/kernel/config/uacce/sections"
	put "$1/etc/group" "root:x:0:
accel:x:999:"
	put "$1/etc/warpdrive/sections.conf" "[SSL]"
	put "$1/etc/systemd/system/multi-user.target.wants/warpdrive-sections.service" ""
	put "$1/sys/bus/pci/devices/0000:00:05.0/vendor" 0x1af4
	put "$1/sys/bus/pci/devices/0000:00:05.0/device" 0x1110
	put "$1/sys/bus/pci/devices/0000:00:05.0/resource" "0x0000000000000000 0x0000000000000000 0x0
0x0000000000000000 0x0000000000000000 0x0
0x00000000c0000000 0x00000000c3ffffff 0x0"
}

test_doctor_finds_no_problem_on_a_healthy_machine() {
	healthy r
	doctor r >got
	golden got <<'END'
ok       kernel     6.1.0-48-test
ok       kernel     r/boot/config-6.1.0-48-test has all options that the modules need
ok       modules    uacce: loaded (0.2.0), installed: updates
ok       modules    hisi_qm: loaded (0.2.0), installed: updates
ok       modules    hisi_zip: loaded (0.2.0), installed: updates
ok       modules    hisi_sec2: loaded (0.2.0), installed: updates
ok       modules    hisi_hpre: loaded (0.2.0), installed: updates
ok       modules    hisi_sim: loaded (0.2.0), installed: updates
ok       devices    hisi_zip-0: zlib gzip deflate
ok       sva        hisi_zip-0: sva-iommu
ok       nodes      /dev/hisi_zip-0 can be opened
ok       simulator  room for its registers: 64 MiB at 0000:00:05.0
ok       sections   the loaded uacce has sections
ok       sections   group accel exists
ok       sections   /etc/warpdrive/sections.conf is restored at boot
ok       numa       nodes 0-1 are online
ok       configfs   mounted on /sys/kernel/config
no problems
END
}

# Programs that remedies use; not every machine has all of them.
REMEDY_PROGRAMS=' dracut update-initramfs echo mkdir rm mknod mount modprobe depmod dkms ldconfig groupadd usermod '
REMEDY_PROGRAMS+='udevadm systemctl ulimit '

# a_command WORD...: wdctl and make must have the command or target and its options; any other program must be in the
# list.
a_command() {
	local o

	case $1 in
	wdctl)
		wdctl --list-cmds | grep -qxF -- "$2" || return
		for o in "${@:3}"; do
			[[ $o != -* ]] || wdctl --list-opts "$2" | tr -d = | grep -qxF -- "$o" || return
		done
		;;
	make)
		[ $# = 2 ] && grep -q "^$2:" "$TOP/Makefile"
		;;
	*)
		[[ $REMEDY_PROGRAMS == *" $1 "* ]]
		;;
	esac
}

# commands_of FILE: every remedy after an arrow is a command that bash parses, and all its names exist.
commands_of() {
	local line part

	sed -n 's/^ * -> //p' "$1" >commands
	while read -r line; do
		bash -n -c "$line"
		not grep -e '<' -e '\.\.\.' -e '[A-Z]\{4\}' <<<"$line"
		while read -r part; do
			# shellcheck disable=SC2086
			a_command ${part%% >*} || {
				echo "no such command: $part"
				return 1
			}
		done < <(sed 's/ && /\n/g' <<<"$line")
	done <commands
	# Any other remedy is a sentence.
	sed -n '/^ * -> /d; s/^ \{20\}//p' "$1" | not grep -v '^[A-Z].*\.$'
}

# problem ROOT TEXT: doctor exits with 1 and reports this problem, with a remedy.
problem() {
	exits 1 wdctl doctor --root "$1" >got
	grep -F -- "$2" got | grep -q '^problem' || {
		echo "no problem '$2' in:"
		cat got
		return 1
	}
	grep -A1 -F -- "$2" got | tail -1 | grep -q '^ '
	commands_of got
}

note() {
	wdctl doctor --root "$1" >got
	grep -F -- "$2" got | grep -q '^note' || {
		echo "no note '$2' in:"
		cat got
		return 1
	}
	commands_of got
}

# remedy TEXT COMMAND: the finding in the file got has exactly this command.
remedy() {
	[ "$(grep -A1 -F -- "$1" got | sed -n 's/^ * -> //p')" = "$2" ] || {
		echo "expected '$2' after '$1' in:"
		cat got
		return 1
	}
}

test_doctor_names_each_kernel_problem() {
	local o

	healthy r
	put r/proc/sys/kernel/osrelease 5.10.0-test
	problem r "5.10.0-test is too old"
	put r/proc/sys/kernel/osrelease next
	problem r "release 'next' doesn't begin with MAJOR.MINOR"
	put r/proc/sys/kernel/osrelease "$REL"
	for o in MODULES PCI PCI_MSI CONFIGFS_FS; do
		cp "r/boot/config-$REL" keep
		sed -i "s/^CONFIG_$o=.*/# CONFIG_$o is not set/" "r/boot/config-$REL"
		problem r "built without CONFIG_$o"
		mv keep "r/boot/config-$REL"
	done
	echo CONFIG_UACCE=y >>"r/boot/config-$REL"
	problem r "the kernel's own uacce is built in"
	sed -i '/UACCE/d' "r/boot/config-$REL"
	echo CONFIG_MODULE_SIG_FORCE=y >>"r/boot/config-$REL"
	problem r "loads signed modules only"
	sed -i '/SIG_FORCE/d' "r/boot/config-$REL"
	put r/sys/kernel/security/lockdown "none [integrity] confidentiality"
	problem r "is locked down (none [integrity] confidentiality)"
	put r/sys/kernel/security/lockdown "[none] integrity confidentiality"
	gzip -c "r/boot/config-$REL" >r/proc/config.gz
	rm "r/boot/config-$REL"
	wdctl doctor --root r >got
	says "r/proc/config.gz" got
	rm r/proc/config.gz
	note r "no configuration found in /proc/config.gz, /boot or /lib/modules/$REL"
}

test_doctor_names_each_module_problem() {
	healthy r
	rm -r r/sys/module/hisi_zip
	problem r "hisi_zip: installed (updates, 0.2.0), not loaded"
	remedy "hisi_zip: installed" "wdctl load"
	load_module r hisi_zip 0.0.9
	problem r "hisi_zip: the loaded module (0.0.9) is another build than the installed one (updates, 0.2.0)"
	put r/sys/module/hisi_zip/srcversion SRC0.2.0
	problem r "hisi_zip: the loaded module (0.0.9) is another build than the installed one (updates, 0.2.0)"
	remedy "hisi_zip: the loaded" "wdctl unload && wdctl load"
	rm -r r/sys/module/hisi_zip r/lib/modules
	mkdir -p "r/lib/modules/$REL"
	depmod -b r "$REL"
	problem r "hisi_zip: not installed for kernel $REL"
	remedy "hisi_zip: not installed" "make install-modules"
	put "r/usr/src/warpdrive-$(cat "$TOP/VERSION")/dkms.conf" ""
	problem r "hisi_zip: not installed for kernel $REL"
	remedy "hisi_zip: not installed" "dkms install warpdrive/$(cat "$TOP/VERSION") -k $REL"
	rm -r r/sys/module/hisi_sim
	wdctl doctor --root r >got || :
	grep -q "^note .*hisi_sim: not installed" got
}

test_doctor_only_notes_a_driver_without_a_device() {
	healthy r
	rm -r r/sys/module/hisi_sim r/sys/module/hisi_sec2
	note r "hisi_sec2: installed (updates, 0.2.0), not loaded; this machine has no device for it"
	says "no problems" got
	rm "r/lib/modules/$REL/updates/hisi_sec2.ko"
	depmod -b r "$REL"
	note r "hisi_sec2: not installed for kernel $REL; this machine has no device for it"
	# The driver of a device that is there, and of one that the simulator may get.
	mv r/sys/module/hisi_zip .
	problem r "hisi_zip: installed (updates, 0.2.0), not loaded"
	mv hisi_zip r/sys/module/
	load_module r hisi_sim 0.2.0
	problem r "hisi_sec2: not installed for kernel $REL"
	# A simulator that was told which devices to make.
	put r/sys/module/hisi_sim/parameters/devices zip,zip
	note r "hisi_sec2: not installed for kernel $REL; this machine has no device for it"
	put r/sys/module/hisi_sim/parameters/devices zip,sec
	problem r "hisi_sec2: not installed for kernel $REL"
}

test_doctor_only_notes_modules_on_a_machine_without_accelerators() {
	make_root r
	install_all r
	exits 1 wdctl doctor --root r >got
	says "hisi_qm: installed (updates, 0.2.0), not loaded; this machine has no accelerator" got
	not grep "^problem *modules" got
	remedy "no accelerator, so" "wdctl load --sim zip"
}

# build_module FILE WORD: a module with the linker's note, as in the kernel's build.
build_module() {
	printf 'static const char w[] __attribute__((section(".modinfo"), used)) = "description=%s";\n' "$2" |
		gcc -c -x c -o m.o -
	ld -r --build-id=sha1 -o "$1" m.o
}

test_doctor_notices_another_build_of_the_same_version() {
	local ko=r/lib/modules/$REL/updates/hisi_zip.ko

	healthy r
	build_module "$ko" one
	depmod -b r "$REL"
	mkdir r/sys/module/hisi_zip/notes
	objcopy -O binary --only-section=.note.gnu.build-id "$ko" r/sys/module/hisi_zip/notes/.note.gnu.build-id
	wdctl doctor --root r >got
	build_module "$ko" two
	problem r \
		"hisi_zip: the loaded module (0.2.0) is another build than the installed one (updates, without version)"
	echo garbage >"$ko"
	wdctl doctor --root r >got || :
	not says "another build" got >/dev/null
}

test_doctor_tells_the_kernels_own_modules_apart() {
	make_root r
	add_module r uacce kernel/drivers/misc/uacce 1.0
	depmod -b r "$REL"
	load_module r uacce 1.0 ""
	exits 1 wdctl doctor --root r >got
	says "uacce: the kernel's own module is loaded (1.0)" got
	commands_of got
	remedy "uacce: the kernel's own" "wdctl unload && make install-modules && wdctl load"
}

# An installed driver of a device that is there, and is not loaded.
refused_root() {
	healthy r
	rm -r r/sys/module/hisi_zip
	problem r "hisi_zip: installed (updates, 0.2.0), not loaded"
	remedy "hisi_zip: installed" "wdctl load"
}

test_doctor_says_that_a_module_is_unsigned() {
	local only='it is unsigned, and this kernel loads signed modules only'

	refused_root
	put r/sys/kernel/security/lockdown "none [integrity] confidentiality"
	problem r "hisi_zip: installed (updates, 0.2.0), not loaded; $only: it is locked down"
	says "$only: it is locked down (none [integrity] confidentiality)" got
	says "run 'make install-modules', which signs" got
	put r/sys/kernel/security/lockdown "[none] integrity confidentiality"
	problem r "hisi_zip: installed (updates, 0.2.0), not loaded"
	not grep unsigned got
	put r/sys/module/module/parameters/sig_enforce N
	problem r "hisi_zip: installed (updates, 0.2.0), not loaded"
	not grep unsigned got
	put r/sys/module/module/parameters/sig_enforce Y
	problem r "not loaded; $only: /sys/module/module/parameters/sig_enforce is Y"
	rm r/sys/module/module/parameters/sig_enforce
	echo CONFIG_MODULE_SIG_FORCE=y >>"r/boot/config-$REL"
	problem r "not loaded; it is unsigned, and this kernel loads signed modules only: CONFIG_MODULE_SIG_FORCE"
}

test_doctor_says_whose_signature_is_not_trusted() {
	local m

	refused_root
	for m in uacce hisi_qm hisi_zip hisi_sec2 hisi_hpre hisi_sim; do
		sign_module r $m "my key"
	done
	put r/sys/module/module/parameters/sig_enforce Y
	put r/proc/keys "1 I------ 1 perm 1f030000 0 0 asymmetri my key 2: 0123: X509.rsa 0123 []
2 I------ 1 perm 1f030000 0 0 keyring my key: 1"
	problem r "not loaded; it is signed with the key 'my key', which this kernel doesn't trust"
	says "mokutil --import" got
	grep -q "^ok .*the kernel loads signed modules only" got
	put r/proc/keys "1 I------ 1 perm 1f030000 0 0 asymmetri my key: 0123: X509.rsa 0123 []"
	problem r "hisi_zip: installed (updates, 0.2.0), not loaded"
	not grep trust got
	# Without keys to read nothing is known.
	rm r/proc/keys
	problem r "hisi_zip: installed (updates, 0.2.0), not loaded"
	not grep trust got
	load_module r hisi_zip 0.2.0
	wdctl doctor --root r >got
}

test_doctor_says_that_a_module_is_of_another_kernel() {
	refused_root
	add_module r hisi_zip updates 0.2.0 "" "5.10.0-1-test SMP mod_unload "
	depmod -b r "$REL"
	problem r \
		"hisi_zip: installed (updates, 0.2.0), not loaded; it was built for kernel 5.10.0-1-test, not for $REL"
	remedy "hisi_zip: installed" "make install-modules"
	add_module r hisi_zip updates 0.2.0 "" "${REL}x SMP mod_unload "
	problem r "it was built for kernel ${REL}x, not for $REL"
	add_module r hisi_zip updates 0.2.0 "" "$REL SMP mod_unload "
	problem r "hisi_zip: installed"
	remedy "hisi_zip: installed" "wdctl load"
}

test_doctor_says_who_forbids_a_module() {
	refused_root
	put r/etc/modprobe.d/1.conf "blacklist hisi_sec2"
	problem r "hisi_zip: installed"
	remedy "hisi_zip: installed" "wdctl load"
	put r/run/modprobe.d/2.conf "blacklist hisi-zip"
	problem r "not loaded; modprobe.d says 'blacklist hisi_zip', so udev doesn't load it"
	put r/lib/modprobe.d/3.conf "install hisi_zip /bin/false"
	problem r "not loaded; modprobe.d says 'install hisi_zip /bin/false', which runs instead"
	put r/proc/cmdline "quiet module_blacklist=floppy,hisi_zip ro"
	problem r "not loaded; the kernel was booted with module_blacklist=hisi_zip"
	put r/proc/cmdline "quiet module_blacklist=floppy,hisi_zip2 ro"
	problem r "not loaded; modprobe.d says 'install"
}

test_doctor_notices_modules_from_an_initramfs() {
	healthy r
	load_module r uacce 1.0 ""
	local own="uacce: the kernel's own module is loaded (1.0) instead of the installed one (updates, 0.2.0)"
	problem r "$own: from the initramfs"
	remedy "uacce: the kernel's own" "update-initramfs -u -k $REL && wdctl unload && wdctl load"
	put r/usr/bin/dracut ""
	problem r "uacce: the kernel's own"
	remedy "uacce: the kernel's own" "dracut --force --kver $REL && wdctl unload && wdctl load"
	load_module r uacce 0.1.9
	problem r "(updates, 0.2.0); it is older: loaded before an upgrade, or from an old initramfs"
	load_module r uacce 0.10.0
	problem r "uacce: the loaded module (0.10.0) is another build"
	not grep older got
}

test_doctor_names_each_device_problem() {
	make_root r
	install_all r
	load_all r
	problem r "no accelerator"
	remedy "no accelerator" "wdctl load --sim zip"
	add_device r hisi_zip-0 0000:75:00.0 isolate=1
	problem r "hisi_zip-0: isolated"
	local folder=/sys/bus/pci/drivers/hisi_zip
	remedy "hisi_zip-0: isolated" "echo 0000:75:00.0 >$folder/unbind && echo 0000:75:00.0 >$folder/bind"
	put r/sys/devices/pci/0000:75:00.0/reset ""
	problem r "hisi_zip-0: isolated"
	remedy "hisi_zip-0: isolated" "echo 1 >/sys/bus/pci/devices/0000:75:00.0/reset"
	put r/sys/class/uacce/hisi_zip-0/isolate 0
	put r/sys/class/uacce/hisi_zip-0/flags 0
	problem r "hisi_zip-0: no shared virtual addressing"
	put r/sys/class/uacce/hisi_zip-0/flags 1
	put r/sys/class/uacce/hisi_zip-0/iommu none
	problem r "hisi_zip-0: no shared virtual addressing"
	put r/sys/class/uacce/hisi_zip-0/iommu sva-sim
	put r/sys/class/uacce/hisi_zip-0/zone_id 7
	problem r "hisi_zip-0: zone_id is node 7, but only 0-1 are online"
	remedy "hisi_zip-0: zone_id" "echo 0 >/sys/kernel/config/uacce/devices/hisi_zip-0/zone_id"
	put r/sys/class/uacce/hisi_zip-0/zone_id -1
	put r/sys/class/uacce/hisi_zip-0/priority 1000
	note r "hisi_zip-0: priority 1000 is outside -100..99"
	remedy "hisi_zip-0: priority" "echo 0 >/sys/kernel/config/uacce/devices/hisi_zip-0/priority"
	put r/sys/class/uacce/hisi_zip-0/priority 0
	put r/sys/class/uacce/hisi_zip-0/available_instances 0
	note r "hisi_zip-0: all its queues are in use"
	remedy "hisi_zip-0: all its queues" "wdctl ctx --dev hisi_zip-0"
	put r/sys/class/uacce/hisi_zip-0/available_instances 256
	put r/sys/class/uacce/hisi_zip-0/api hisi_qm_v1
	note r "hisi_zip-0: the libraries have no driver for api 'hisi_qm_v1'"
	rm r/dev/hisi_zip-0
	problem r "/dev/hisi_zip-0 is missing"
	remedy "/dev/hisi_zip-0 is missing" "mknod -m 660 /dev/hisi_zip-0 c 240 0"
}

test_doctor_finds_functions_that_gave_no_device() {
	healthy r
	put r/sys/bus/pci/devices/0000:76:00.0/vendor 0x19e5
	put r/sys/bus/pci/devices/0000:76:00.0/device 0xa255
	problem r "0000:76:00.0: no driver is bound to it; expected hisi_sec2"
	remedy "0000:76:00.0: no driver" "echo 0000:76:00.0 >/sys/bus/pci/drivers/hisi_sec2/bind"
	mv r/sys/module/hisi_sec2 keep
	problem r "0000:76:00.0: no driver is bound to it; expected hisi_sec2"
	remedy "0000:76:00.0: no driver" "wdctl load"
	mv keep r/sys/module/hisi_sec2
	ln -s ../../drivers/hisi_sec2 r/sys/bus/pci/devices/0000:76:00.0/driver
	problem r "0000:76:00.0: driver hisi_sec2 is bound to it, but registered no uacce device"
	put r/sys/module/hisi_sec2/parameters/uacce_mode 0
	problem r "0000:76:00.0: driver hisi_sec2 is bound to it, but registered no uacce device"
	remedy "0000:76:00.0: driver" "modprobe -r hisi_sec2 && modprobe hisi_sec2 uacce_mode=1"
}

test_doctor_answers_for_the_caller() {
	[ "$(id -u)" = 0 ] || skip "needs root to become another user"
	setpriv --reuid 65534 --clear-groups test -x "$OUT/bin/wdctl" || skip "another user can't reach the build"
	healthy r
	chmod 755 "$WORK"
	wdctl doctor --root r >/dev/null
	exits 1 setpriv --reuid 65534 --regid 65534 --clear-groups wdctl doctor --root r >got
	says "/dev/hisi_zip-0 (mode 660, group 0) can't be opened by user 65534" got
	local rules=/etc/udev/rules.d/60-warpdrive.rules
	says "-> groupadd --force --system accel && wdctl export udev >$rules && udevadm" got
	commands_of got
	chgrp 1 r/dev/hisi_zip-0
	exits 1 setpriv --reuid 65534 --regid 65534 --clear-groups wdctl doctor --root r >got
	remedy "can't be opened" "usermod --append --groups $(getent group 1 | cut -d: -f1) $(id -nu 65534)"
	chmod 666 r/dev/hisi_zip-0
	setpriv --reuid 65534 --regid 65534 --clear-groups wdctl doctor --root r >got
	says "/dev/hisi_zip-0 is open to every user (mode 666)" got
	commands_of got
}

test_doctor_names_what_surrounds_the_kernel() {
	healthy r
	put r/proc/mounts "none / tmpfs rw 0 0"
	problem r "not mounted on /sys/kernel/config"
	remedy "not mounted" "modprobe configfs && mount -t configfs configfs /sys/kernel/config"
	rm r/proc/mounts
	note r "/proc/mounts can't be read"
	rm -r r/sys/devices/system
	note r "this kernel has no NUMA nodes"
	rm -r r/sys/bus/pci/devices/0000:00:05.0
	note r "no memory range for the registers of simulated devices"
	put r/sys/module/hisi_sim/parameters/aperture 0x100000000
	wdctl doctor --root r >got
	says "its registers are at 0x100000000" got
}

test_doctor_names_what_sections_lack() {
	healthy r
	rmdir r/sys/kernel/config/uacce/sections
	note r "the loaded uacce has no sections"
	mkdir r/sys/kernel/config/uacce/sections
	put r/etc/group "xaccel:x:999:"
	note r "group accel doesn't exist"
	rm r/etc/group
	note r "group accel doesn't exist"
	remedy "group accel" "groupadd --system accel && udevadm trigger --subsystem-match=uacce"
	rm r/etc/systemd/system/multi-user.target.wants/warpdrive-sections.service
	note r "warpdrive-sections.service is not enabled"
	remedy "is not enabled" "systemctl enable warpdrive-sections.service"
	rm r/etc/warpdrive/sections.conf
	note r "no sections are restored at boot: /etc/warpdrive/sections.conf doesn't exist"
}

test_doctor_json_is_valid_and_counts() {
	healthy r
	put r/sys/class/uacce/hisi_zip-0/isolate 1
	exits 1 wdctl doctor --json --root r >got
	python3 -c '
import json
d = json.load(open("got"))
assert d["problems"] == 1, d
bad = [f for f in d["findings"] if f["state"] == "problem"]
assert len(bad) == 1 and bad[0]["area"] == "devices" and bad[0]["remedy"] and bad[0]["command"] is True, bad
assert all(set(f) == {"state", "area", "text", "remedy", "command"} for f in d["findings"])
assert not any(f["command"] for f in d["findings"] if f["remedy"] is None)'
}

test_doctor_names_what_a_simulated_device_lacks() {
	healthy r
	sec_device r
	crypto sha1 sha256 sha512 >r/proc/crypto
	note r "hisi_sec2-0: lacks md5, which this kernel doesn't compute for it"
	put r/sys/module/hisi_sim/parameters/devices sec,zip
	note r "hisi_sec2-0: lacks md5"
	remedy "hisi_sec2-0: lacks" "modprobe -a crypto-md5 && wdctl unload && wdctl load --sim sec,zip"
	put r/proc/sys/crypto/fips_enabled 1
	note r "hisi_sec2-0: lacks md5"
	says "Boot without fips=1" got
	crypto md5 sha1 sha256 sha512 >r/proc/crypto
	doctor r >got
	[ "$(grep -c algorithms got)" = 0 ]
}

# software_path: doctor's finding with this process' libcrypto.
software_path() {
	{ wdctl doctor --json || :; } | python3 -c '
import json, sys
f, = [f for f in json.load(sys.stdin)["findings"]
      if f["area"] == "algorithms" and f["text"].startswith("software path")]
print(f["state"], f["text"], f["remedy"])'
}

test_doctor_names_what_the_software_path_lacks() {
	software_path >got
	says "xts(sm4)" got
	[ "$(grep -c 'gcm(aes)\|sha256' got)" = 0 ]
	printf '%s\n' 'openssl_conf = a' '[a]' 'providers = b' '[b]' 'base = c' '[c]' 'activate = 1' >conf
	OPENSSL_CONF=$PWD/conf software_path >got
	says "note software path: 0 of 29 algorithms, with OpenSSL" got
	says EOPNOTSUPP got
}

test_doctor_works_on_an_empty_folder() {
	mkdir r
	exits 1 wdctl doctor --root r >got
	says "no accelerator" got
}

test_load_says_what_it_would_do_in_order() {
	make_root r
	install_all r
	wdctl load --dry-run --root r >got
	golden got <<'END'
uacce: would be loaded (updates, 0.2.0)
hisi_qm: would be loaded (updates, 0.2.0)
hisi_zip: would be loaded (updates, 0.2.0)
hisi_sec2: would be loaded (updates, 0.2.0)
hisi_hpre: would be loaded (updates, 0.2.0)
END
	wdctl load --dry-run --sim zip,zip --root r >got
	says "hisi_sim: would be loaded (updates, 0.2.0) devices=zip,zip" got
	load_module r uacce 0.2.0
	load_module r hisi_qm 0.2.0
	wdctl load --dry-run --root r >got
	golden got <<'END'
uacce: already there (loaded, 0.2.0)
hisi_qm: already there (loaded, 0.2.0)
hisi_zip: would be loaded (updates, 0.2.0)
hisi_sec2: would be loaded (updates, 0.2.0)
hisi_hpre: would be loaded (updates, 0.2.0)
END
}

test_load_opens_the_kernels_own_driver_to_processes() {
	make_root r
	add_module r uacce kernel/misc 1
	add_module r hisi_qm kernel/crypto 1
	add_module r hisi_zip kernel/crypto 1 uacce_mode
	add_module r hisi_sec2 kernel/crypto 1 uacce_mode
	add_module r hisi_hpre kernel/crypto 1 uacce_mode
	depmod -b r "$REL"
	wdctl load --dry-run --root r >got
	says "hisi_zip: would be loaded (in-tree, 1) uacce_mode=1" got
}

test_load_takes_modules_of_a_build_folder() {
	make_root r
	install_all r
	mkdir -p "b/kernel/hisi_qm"
	cp "r/lib/modules/$REL/updates/hisi_zip.ko" b/kernel/hisi_qm/
	wdctl load --dry-run --root r --from b >got
	golden got <<'END'
uacce: would be loaded (updates, 0.2.0)
hisi_qm: would be loaded (updates, 0.2.0)
hisi_zip: would be loaded (other, 0.2.0)
hisi_sec2: would be loaded (updates, 0.2.0)
hisi_hpre: would be loaded (updates, 0.2.0)
END
}

test_load_refuses_what_is_not_installed_and_engines_unknown() {
	make_root r
	exits 1 wdctl load --dry-run --root r 2>err
	says "uacce: not installed for kernel $REL" err
	install_all r
	for spec in "" , zip, ,zip gpu zip,gpu "zip zip" ZIP; do
		exits 2 wdctl load --dry-run --root r --sim "$spec" 2>err
		says "expected zip, sec or hpre" err
	done
	exits 2 wdctl load --dry-run --root r --sim zip@v2,sec@v4 2>err
	says "unknown generation '@v4' of sec; expected @v2, @v3 or nothing" err
	exits 2 wdctl load --dry-run --root r --sim zip@ 2>err
	says "unknown generation '@' of zip" err
	exits 2 wdctl load --dry-run --root r --sim zap@v2 2>err
	says "unknown engine 'zap'; expected zip, sec or hpre" err
	exits 2 wdctl load --dry-run --root r --sim "$(printf 'zip,%.0s' $(seq 100))zip" 2>err
	says "too many devices" err
}

test_load_refuses_to_mix_two_sources() {
	make_root r
	install_all r
	load_module r uacce 1.0 ""
	exits 3 wdctl load --dry-run --root r 2>err
	says "uacce: the kernel's own module is loaded, which doesn't work with" err
}

test_load_leaves_a_loaded_simulator_alone() {
	make_root r
	install_all r
	load_all r
	put r/sys/module/hisi_sim/parameters/devices zip,zip
	wdctl load --dry-run --root r --sim zip,zip >got
	says "hisi_sim: already there" got
	exits 3 wdctl load --dry-run --root r --sim zip 2>err
	says "hisi_sim: already loaded with devices=zip,zip" err
}

test_unload_goes_the_other_way() {
	make_root r
	install_all r
	load_all r
	wdctl unload --dry-run --root r >got
	golden got <<'END'
hisi_sim: would be unloaded
hisi_hpre: would be unloaded
hisi_sec2: would be unloaded
hisi_zip: would be unloaded
hisi_qm: would be unloaded
uacce: would be unloaded
END
	rm -r r/sys/module/*
	[ "$(wdctl unload --dry-run --root r)" = "nothing is loaded" ]
}

test_unload_names_processes_with_open_queues() {
	make_root r
	install_all r
	load_all r
	add_device r hisi_zip-0 0000:75:00.0
	put r/proc/4711/comm "$(printf 'ngi\033nx')"
	mkdir -p r/proc/4711/fd r/proc/1/fd
	ln -s /dev/hisi_zip-0 r/proc/4711/fd/3
	ln -s /dev/hisi_zip-0 r/proc/4711/fd/4
	ln -s /dev/null r/proc/4711/fd/5
	exits 3 wdctl unload --dry-run --root r >got 2>err
	[ ! -s got ]
	says "wdctl unload: hisi_zip-0: in use by process 4711 (ngi?nx), 2 queues" err
	wdctl unload --dry-run --force --root r >got 2>err
	says "cut off by --force" err
	says "uacce: would be unloaded" got
}

test_unload_names_sections() {
	make_root r
	install_all r
	load_all r
	mkdir -p r/sys/kernel/config/uacce/sections/nginx
	exits 3 wdctl unload --dry-run --root r >got 2>err
	[ ! -s got ]
	says "wdctl unload: uacce: in use by section 'nginx'; remove it with 'wdctl section del nginx'" err
	rmdir r/sys/kernel/config/uacce/sections/nginx
	wdctl unload --dry-run --root r >got
}

test_unload_names_modules_on_top() {
	make_root r
	install_all r
	load_all r
	mkdir -p r/sys/module/hisi_qm/holders/hisi_zip r/sys/module/hisi_qm/holders/hisi_dae
	exits 3 wdctl unload --dry-run --root r 2>err
	says "hisi_qm: in use by module hisi_dae" err
	[ "$(wc -l <err)" = 1 ]
}

complete_words() {
	COMP_WORDS=("$@")
	COMP_CWORD=$(($# - 1))
	"_$1" "$1"
	printf '%s\n' "${COMPREPLY[@]}"
}

test_completion_knows_commands_and_options() {
	. "$TOP/configfs-tools/completion/wdctl"
	. "$TOP/user/tools/wdzip/completion/wdzip"
	[ "$(complete_words wdctl do)" = doctor ]
	[ "$(complete_words wdctl load --si)" = --sim ]
	[ "$(complete_words wdctl load --sim zip, | xargs)" = "zip,zip zip,sec" ]
	[ "$(complete_words wdzip --pa)" = --path ]
	[ "$(complete_words wdzip --path so)" = soft ]
	[ "$(complete_words wdctl section li)" = "list
live" ]
	[ "$(complete_words wdctl section set A NumP)" = NumProcesses= ]
	[ "$(complete_words wdctl export ud)" = udev ]
	[ "$(complete_words wdctl export --algorithms ecds)" = ecdsa ]
	[ "$(complete_words wdctl monitor --group e)" = event ]
	[ "$(complete_words wdctl top --sort a)" = age ]
	[ "$(complete_words wdctl run --wait f)" = forever ]
	[ "$(complete_words wdctl run --section A tru | head -1)" = true ]
	complete_words wdctl list -- >got
	golden got <<'END'
--json
--root
--help
END
}

run_tests "$@"
