#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# kselftest's targets (selftests/Makefile): what they install, and that it runs elsewhere. kselftest_vm.sh goes on with
# the folder that this script makes.

. "$(dirname "$0")/../include/tap.sh"

BUILD=$(dirname "$OUT")
DIR=$BUILD/kselftest_install

ksft() {
	quiet_make -C "$TOP/selftests" BUILD="$BUILD" "$@"
}

test_install_makes_a_folder_for_each_target() {
	local target

	for target in uacce hisi_qm; do
		[ -x "$DIR/$target/test_queue" ] || [ -x "$DIR/$target/test_ioctl" ]
		grep -q '^timeout=[0-9]*$' "$DIR/$target/settings"
		grep -q '^CONFIG_[A-Z_]*=[ym]$' "$DIR/$target/config"
	done
	[ -x "$DIR/run_kselftest.sh" ] && [ -e "$DIR/kselftest/runner.sh" ] && [ -x "$DIR/kselftest/prefix.pl" ]
}

test_the_list_names_programs_that_are_there() {
	local line

	[ "$(wc -l <"$DIR/kselftest-list.txt")" -gt 20 ]
	while read -r line; do
		[ -x "$DIR/${line/://}" ] || { echo "no program $line"; return 1; }
	done <"$DIR/kselftest-list.txt"
}

# Each program's limit in the checkout's own runner is within the folder's limit.
test_settings_allow_what_the_programs_need() {
	local target limit

	for target in uacce hisi_qm; do
		limit=$(sed -n 's/^timeout=//p' "$DIR/$target/settings")
		awk -v limit="$limit" \
			'$1 ~ /^vm/ && $4 !~ /kselftest_vm/ && $3 > limit { print; bad = 1 } END { exit bad }' \
			"$OUT/tests/$target/list"
	done
}

# As on a target: another folder, and nothing that points to this checkout.
test_without_a_device_everything_is_skipped_with_a_reason() {
	local total skipped reasons

	! compgen -G '/sys/class/uacce/*' >/dev/null || skip 'this machine has a device'
	cp -r "$DIR" moved
	# Through a pipe: runner.sh opens its output once more, which would overwrite a file.
	env -u TOP -u OUT moved/run_kselftest.sh | cat >results
	total=$(wc -l <"$DIR/kselftest-list.txt")
	skipped=$(grep -c '^ok .* # SKIP$' results)
	reasons=$(grep -c '^# 1..0 # SKIP .' results)
	echo "$total tests, $skipped skipped, $reasons reasons"
	[ "$total" = "$skipped" ] && [ "$total" = "$reasons" ]
}

test_one_target_alone() {
	ksft install TARGETS=hisi_qm INSTALL_PATH="$PWD/one"
	absent one/uacce
	not grep -v '^hisi_qm:' one/kselftest-list.txt
}

test_an_unknown_target_is_refused() {
	exits 2 ksft install TARGETS='uacce nothing' INSTALL_PATH="$PWD/none" 2>err
	says 'TARGETS=uacce nothing: expected some of "hisi_qm uacce"' err
	absent none
}

test_gen_tar_has_the_same_files() {
	ksft gen_tar INSTALL_PATH="$PWD/packed" >/dev/null
	tar tf packed/kselftest-packages/kselftest.tar.gz | grep -v '/$' | sort >archived
	(cd packed && find . -type f ! -path './kselftest-packages/*') | sort >present
	same archived present
}

test_run_tests_ends_well_when_all_is_skipped() {
	! compgen -G '/sys/class/uacce/*' >/dev/null || skip 'this machine has a device'
	ksft run_tests TARGETS=hisi_qm >results
	says 'selftests: hisi_qm: test_queue # SKIP' results
}

rm -rf "$DIR"
ksft install TARGETS='uacce hisi_qm' INSTALL_PATH="$DIR" || exit
run_tests "$@"
