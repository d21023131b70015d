#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The manual pages in sections 1, 5 and 8: whether man -k finds them, and whether their examples work.

. "$(dirname "$0")/../include/tap.sh"
. "$(dirname "$0")/machine.sh"

PAGES=("$TOP"/configfs-tools/man/*.[58] "$TOP/user/tools/wdzip/wdzip.1" "$TOP/user/tools/wd-zlib/wd-zlib.1" \
	"$TOP/user/emulator/tool/wd-emulate.1")

# examples PAGE: prints the text between .EX and .EE in EXAMPLES, as man prints it, and "#" after each example.
examples() {
	sed -n '/^\.SH EXAMPLES/,/^\.SH [^E]/p' "$1" | sed -n '/^\.EX/,/^\.EE/{/^\.EX/d;s/^\.EE/#/;p}' |
		sed "s/\\\\(aq/'/g; s/\\\\-/-/g; s/\\\\&//g; s/\\\\e/\\\\/g"
}

test_man_k_finds_all_pages_by_the_name_of_the_project() {
	local page

	for page in "${PAGES[@]}"; do
		grep -A1 '^\.SH NAME' "$page" | tail -1 >name
		says WarpDrive name
	done
}

test_mandoc_has_nothing_to_complain_about() {
	command -v mandoc >/dev/null || skip "mandoc is not installed"
	mandoc -T lint -W warning "${PAGES[@]}" >got 2>&1 || :
	[ ! -s got ] || {
		cat got
		return 1
	}
}

test_every_page_has_examples_that_a_shell_can_parse() {
	local page

	for page in "${PAGES[@]}"; do
		examples "$page" >block
		[ -s block ] || {
			echo "no examples in $page"
			return 1
		}
		[ "${page##*.}" = 5 ] || bash -n block
	done
}

# The command's help has each option's letter or name.
test_examples_use_options_that_exist() {
	local command line word

	for page in "${PAGES[@]}"; do
		examples "$page" >block
		while read -r line; do
			command=$(cut -d' ' -f2 <<<"$line")
			wdctl help "$command" >help
			# shellcheck disable=SC2086
			for word in ${line#wdctl * }; do
				case $word in
				-- | '|' | \>*) break ;;
				-?*) grep -q -e "^ *$word " -e " $word[ ,]" help || {
					echo "no option $word in: $line"
					return 1
				} ;;
				esac
			done
		done < <(grep -o 'wdctl [a-z].*' block)
	done
}

# run PAGE: runs each of its examples; absolute paths are taken below the current folder.
run() {
	local line block=

	mkdir -p etc/warpdrive etc/udev/rules.d etc/systemd/system run tmp
	examples "$1" | sed 's,\(^\|[ >=]\)/\(etc\|run\|tmp\)/,\1\2/,g' >blocks
	[ -s blocks ]
	while IFS= read -r line; do
		if [ "$line" != '#' ]; then
			block+=$line$'\n'
			continue
		fi
		echo "$block"
		(set -eo pipefail && eval "$block")
		block=
	done <blocks
}

test_the_file_of_warpdrive_conf_5_has_no_errors() {
	machine
	examples "$TOP/configfs-tools/man/warpdrive.conf.5" | grep -v '^#$' >f
	command wdctl check --root r f >got
	says "2 sections, 1 device: no errors" got
}

# Pages of commands that read and write files; commands that use netlink can't run here.
test_examples_of_wdctl_work_on_a_recorded_machine() {
	local page

	# Uses the machine r instead of this one; loading can only be planned, and r has problems.
	wdctl() {
		local code=0 dry=

		# It asks the systemd that runs: selftests/deploy has it.
		[[ " $* " != *' --unit '* ]] || return 0
		case $1 in
		load | unload) dry=--dry-run ;;
		esac
		LD_PRELOAD=$FAKE command wdctl "$@" $dry --root r || code=$?
		[ "$1" = doctor ] && [ $code = 1 ] || return $code
	}
	podman() { [ "$1 $3" = "run --device" ] || [ "$1 $2 $3" = "run --rm --device" ]; }
	systemctl() {
		case $* in
		'enable warpdrive-sections.service' | 'enable --now warpdrive-cdi.path' | daemon-reload | \
			'restart nginx') ;;
		*) return 1 ;;
		esac
	}
	mkdir bin
	printf '#!/bin/sh\necho LoadState=loaded\n' >bin/systemctl
	chmod +x bin/systemctl
	PATH=$PWD/bin:$PATH
	openssl() { says 'algorithms = rsa,ecdsa' "$OPENSSL_CONF"; }
	udevadm() { [ "$1" = control ] || [ "$1" = trigger ]; }
	command -v jq >/dev/null || jq() { cat; }
	for page in wdctl wdctl-apply wdctl-check wdctl-device wdctl-doctor wdctl-export wdctl-list wdctl-load \
		wdctl-plan wdctl-save wdctl-section wdctl-unload; do
		machine
		make_root r
		put r/etc/group "www-data:x:33:"
		put r/etc/passwd "www-data:x:33:33::/:/bin/sh"
		put r/etc/warpdrive/sections.conf '[web]'
		install_all r
		put "r/sys/devices/pci/$PARENT0/sriov_totalvfs" 7
		put "r/sys/devices/pci/$PARENT0/sriov_numvfs" 0
		put "r/sys/devices/pci/$PARENT0/reset" ''
		put "r/sys/class/uacce/$DEV0/isolate_strategy" 0
		mkdir -p etc/warpdrive
		echo '[SSL] NumProcesses = 3' >etc/warpdrive/sections.conf
		run "$TOP/configfs-tools/man/$page.8" >got
	done
}

test_examples_of_wdzip_work() {
	mkdir folder
	seq 1 10000 | tee access.log >folder/f
	cp access.log before
	run "$TOP/user/tools/wdzip/wdzip.1" >got
	same before access.log
	gzip -dc folder.tar.gz | tar -xOf - folder/f | same - before
	gzip -dc access.log.gz | same - before
}

test_examples_of_wd_emulate_work() {
	seq 1 10000 >access.log
	run "$TOP/user/emulator/tool/wd-emulate.1" >got 2>&1
	says "-- path sim (" got
	says hisi_sec2-2 got
	gzip -dc access.log.gz | same - access.log
}

# With a device: its check succeeds, and has a part in the counts.
test_examples_of_wd_zlib_work() {
	[ -e "$OUT/lib/warpdrive/zlib/libz.so.1" ] || skip 'the replacement of zlib was left out'
	wd-zlib() { wd-emulate --zip 1 -- wd-zlib "$@"; }
	unset SOURCE_DATE_EPOCH
	seq 1 100000 >access.log
	run "$TOP/user/tools/wd-zlib/wd-zlib.1" >got 2>&1 || { cat got; false; }
	says 'no problems' got
	says "deflate_device_bytes=$(stat -c %s access.log)" got
	says 'the server with web' got
	gzip -dc access.log.gz | same - access.log
}

# has_all_options PROGRAM PAGE: every option that the program's help has is in the page.
has_all_options() {
	local option

	"$1" --help | grep -o -e '--[a-z-]*[a-z]' | sort -u >options
	while read -r option; do
		grep -qE "^\.B[IR]* .*\\\\-\\\\-$(sed 's/^--//; s/-/\\\\-/g' <<<"$option")\\b" "$2" || {
			echo "no $option"
			return 1
		}
	done <options
}

test_wd_emulate_1_has_all_options() {
	has_all_options wd-emulate "$TOP/user/emulator/tool/wd-emulate.1"
	[ "$(wc -l <options)" -gt 10 ]
}

test_wd_zlib_1_has_all_options() {
	has_all_options wd-zlib "$TOP/user/tools/wd-zlib/wd-zlib.1"
	[ "$(wc -l <options)" -ge 10 ]
}

run_tests "$@"
