#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# wdctl slurm: Slurm's scripts on a tree of plain files, with fake_uacce.so in place of the kernel, and its
# configuration.

. "$(dirname "$0")/slurm_cases.sh"
. "$(dirname "$0")/../tools/machine.sh"
R=r/run

# w COMMAND...: runs wdctl on it.
w() {
	LD_PRELOAD=$FAKE "$OUT/bin/wdctl" "$@" --root r
}

test_the_configuration_is_that_of_the_templates() {
	machine
	templates
	w slurm config --file templates >got 2>err
	grep -v '^#' got >lines
	diff -u - lines <<-'END'
		GresTypes=wd_zip,wd_sec,wd_all
		PrologFlags=Alloc
		Name=wd_zip Count=4 Flags=CountOnly
		Name=wd_sec Count=2 Flags=CountOnly
		Name=wd_all Count=1 Flags=CountOnly
	END
	says '# Gres=wd_zip:4,wd_sec:2,wd_all:1' got
	[ ! -s err ]
	{ w slurm config slurm.conf --file templates; w slurm config gres.conf --file templates; } | same - got
	echo "[slurm wd_zip] NumProcesses = 40 Devices = $PARENT0" >templates
	w slurm config --file templates >got 2>err
	says 'note: [slurm wd_zip] NumProcesses: hisi_zip-0 has 64 contexts, and so many units need 80' err
	echo '[service]' >templates
	exits 1 w slurm config --file templates 2>err
	says 'templates: expected a template, [slurm NAME]' err
	exits 2 w slurm config all.conf 2>err
	says 'expected slurm.conf, gres.conf or nothing' err
}

test_templates_are_no_sections() {
	machine
	templates
	w apply templates >/dev/null
	[ "$(ls $U/sections)" = service ]
	w check templates
	for key in AllowedUsers=1 AllowedGroups=1 Live=1 LimitDevAccess=1 Bandwidth=1; do
		echo "[slurm a] $key" >bad
		exits 1 w check bad 2>err
		says "bad:1: [slurm a] ${key%=*}: expected only in sections" err
	done
	printf '%s\n' '[slurm a]' '[slurm a]' '[slurm b-c]' >bad
	exits 1 w check bad 2>err
	says '[slurm a] expected once' err
	says "not '[slurm b-c]'" err
}

test_bad_environments_and_names_are_refused() {
	local id

	machine
	templates
	for id in '' x -1 '1 ' 99999999999; do
		exits 2 node prolog "$id" 2>err
		says "SLURM_JOB_ID: expected a number, not '$id'" err
		exits 2 node epilog "$id" 2>err
		exits 2 node task-prolog "$id" 2>err
	done
	exits 2 env SLURM_JOB_ID=1 SLURM_JOB_UID=1 "$OUT/bin/wdctl" slurm prolog 2>err
	says 'SLURMD_NODENAME: expected a name' err
	exits 2 node prolog 1 --prefix 'a/b' 2>err
	says "--prefix a/b: expected letters, digits, '_' and '-'" err
	exits 2 node prolog 1 --prefix aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa 2>err
	exits 2 w slurm 2>err
	says 'expected config, prolog, task-prolog or epilog' err
	exits 2 w slurm epilog now 2>err
	says "epilog: unexpected argument 'now'" err
}

test_the_scripts_are_printed() {
	local verb

	for verb in prolog task-prolog epilog; do
		wdctl export slurm-$verb --program /usr/sbin/wdctl >got
		sh -n got
		[ "$(head -1 got)" = '#!/bin/sh' ]
		says "exec /usr/sbin/wdctl slurm $verb" got
	done
}

run_tests "$@"
