#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# wdctl on recorded machines, without modules or root.

. "$(dirname "$0")/../include/tap.sh"
. "$(dirname "$0")/roots.sh"

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
NAME        PARENT        ALGORITHMS         NODE  PRIORITY  SIMULATED  MEMORY  TOTAL  RESERVED  USED  FREE  STATE
hisi_zip-0  0000:75:00.0  zlib gzip deflate  0     0         no         sva     -      -         -     256   ok
hisi_zip-1  0000:b5:00.0  zlib gzip deflate  1     -10       yes        sva     256    96        12    150   ok
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

test_list_serves_a_mainline_kernel() {
	make_root r
	add_mainline_device r hisi_zip-0 0000:75:00.0
	wdctl list --root r >got
	golden got <<'END'
NAME        PARENT        ALGORITHMS         NODE  PRIORITY  SIMULATED  MEMORY  TOTAL  RESERVED  USED  FREE  STATE
hisi_zip-0  0000:75:00.0  zlib gzip deflate  0     -         -          sva     -      -         -     256   ok
END
}

test_list_json_is_valid_and_complete() {
	make_root r
	add_device r hisi_zip-0 0000:75:00.0
	add_shares r hisi_zip-0 256 96 12 150 2
	put r/sys/kernel/config/uacce/devices/hisi_zip-0/doorbells mapped
	add_mainline_device r hisi_zip-1 0000:b5:00.0
	wdctl list --json --root r | python3 -c '
import json, sys
a, b = json.load(sys.stdin)["devices"]
assert a == {"name": "hisi_zip-0", "parent": "0000:75:00.0", "physical_function": None,
	"virtual_functions": None, "api": "hisi_qm_v3",
	"algorithms": ["zlib", "gzip", "deflate"], "lacks": [], "node": 0, "priority": 0, "simulated": False,
	"doorbells": "mapped", "iommu": "sva-iommu", "sva": True, "memory": "sva", "memory_demanded": None,
	"available": 256, "total": 256, "reserved": 96, "used": 12, "free": 150, "quarantined": 2, "resets": None,
	"opens": None, "refused": None, "refused_full": None,
	"ctx_errors": None, "wrong_results": None, "function_requests": None, "requests": None,
	"request_errors": None, "bytes_in": None, "bytes_out": None, "busy_cycles": None, "state": "ok"}, a
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
	says 'wdctl device set hisi_zip-0 Doorbells=kernel' doctor-mapped
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
NAME        PARENT  ALGORITHMS  NODE  PRIORITY  SIMULATED  MEMORY  TOTAL  RESERVED  USED  FREE  STATE
hisi_zip-0  a       -           0     -         no         -       -      -         -     -     ok
END
}

test_list_shows_the_node_that_libraries_use() {
	make_root r
	add_device r hisi_zip-0 a zone_id=1
	add_device r hisi_zip-1 b zone_id=-1
	add_device r hisi_zip-2 c zone_id=gone
	wdctl list --root r >got
	golden got <<'END'
NAME        PARENT  ALGORITHMS         NODE  PRIORITY  SIMULATED  MEMORY  TOTAL  RESERVED  USED  FREE  STATE
hisi_zip-0  a       zlib gzip deflate  1     0         no         sva     -      -         -     256   ok
hisi_zip-1  b       zlib gzip deflate  0     0         no         sva     -      -         -     256   ok
hisi_zip-2  c       zlib gzip deflate  0     0         no         sva     -      -         -     256   ok
END
}

test_list_shows_how_devices_reach_memory() {
	local folder=r/sys/kernel/config/uacce/devices

	make_root r
	add_device r hisi_zip-0 a
	add_device r hisi_zip-1 b flags=0 iommu=mediated
	add_device r hisi_zip-2 c flags=0 iommu=none
	add_mainline_device r hisi_zip-3 d
	add_mainline_device r hisi_zip-4 e flags=0
	for i in 0 1 2; do
		put $folder/hisi_zip-$i/memory auto
	done
	wdctl list --root r >got
	awk 'NR > 1 { print $1, $9 }' got >memory
	golden memory <<'END'
hisi_zip-0 sva
hisi_zip-1 mediated
hisi_zip-2 -
hisi_zip-3 sva
hisi_zip-4 -
END
	put $folder/hisi_zip-0/memory sva
	put $folder/hisi_zip-1/memory sva
	wdctl list --root r >got
	says 'hisi_zip-1: nobody can open it, since it has no shared virtual addressing (memory sva)' got
	not grep 'hisi_zip-0: nobody' got
	wdctl list --json --root r | python3 -c '
import json, sys
d = json.load(sys.stdin)["devices"]
assert [(x["memory"], x["memory_demanded"], x["sva"]) for x in d] == [("sva", "sva", True), ("mediated", "sva", False),
	(None, "auto", False), ("sva", None, True), (None, None, False)], d'
	wdctl device show hisi_zip-1 --root r >got
	says '  memory: mediated, sva demanded' got
	wdctl device show hisi_zip-2 --root r >got
	says '  memory: no way to that of processes' got
	put $folder/hisi_zip-1/memory mediated
	wdctl list --root r >got
	not grep 'nobody can open' got
}

test_a_full_disk_is_an_error() {
	make_root r
	add_device r hisi_zip-0 a
	exits 1 wdctl list --root r >/dev/full 2>err
	says "No space left on device" err
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
	says "unknown variant '@v4' of sec; expected @v2, @v3 or nothing" err
	says 'then @nosva, @noiommu or nothing' err
	for spec in zip@ zip@nosva@v2 zip@v2@ zip@v2@v3 zip@nosva@noiommu zip@sva zip@v2nosva; do
		exits 2 wdctl load --dry-run --root r --sim $spec 2>err
		says "unknown variant '${spec#zip}' of zip" err
	done
	wdctl load --dry-run --root r --sim zip@nosva,sec@v2@noiommu,hpre@v3@nosva,zip@noiommu
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

# The kernel itself holds each of its algorithms once.
kernel_crypto() {
	printf 'name : x\ndriver : %s\nmodule : %s\nrefcnt : %s\n\n' 'hisi_sec_xts(aes)' hisi_sec2 3 \
		'hisi_sec_cbc(aes)' hisi_sec2 1 hpre-rsa hisi_hpre 1 'xts(ecb(aes-generic))' kernel 5
}

test_what_goes_with_the_kernels_own_drivers_is_named_before() {
	local crypto="the kernel's own drivers offer 3 algorithms to its crypto (dm-crypt, IPsec, zswap)"

	make_root r
	install_all r
	wdctl load --dry-run --root r 2>err
	not grep note err
	add_module r hisi_acc_vfio_pci kernel/drivers/vfio 1.0
	depmod -b r "$REL"
	wdctl load --dry-run --root r 2>err
	says "note: hisi_acc_vfio_pci, which gives functions to guests that migrate, can't be loaded" err
	not grep crypto err
	kernel_crypto >r/proc/crypto
	load_module r hisi_sec2 1.0 ""
	exits 3 wdctl load --dry-run --root r 2>err
	says "note: $crypto" err
	says "in use now: hisi_sec_xts(aes)" err
	wdctl unload --dry-run --root r 2>err
	says "note: $crypto" err
	exits 1 wdctl doctor --root r >got
	says "$crypto" got
	"$TOP/packaging/displaced" "r/lib/modules/$REL" r/proc/crypto >got
	says "hisi_acc_vfio_pci, which gives functions" got
	not grep crypto got
	add_module r hisi_sec2 kernel/drivers/crypto 1.0
	"$TOP/packaging/displaced" "r/lib/modules/$REL" r/proc/crypto >got
	says "the kernel's own hisi_sec2 when they are loaded" got
	says "In use now: hisi_sec_xts(aes)" got
	mkdir empty
	"$TOP/packaging/displaced" "empty/lib/modules/$REL" empty/proc/crypto >got
	[ ! -s got ]
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
	[ "$(complete_words wdctl device re)" = reset ]
	[ "$(complete_words wdctl device set A Func)" = Functions= ]
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
