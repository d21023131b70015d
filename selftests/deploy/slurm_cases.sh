# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What 'wdctl slurm' must do on a node, with a scontrol of ours; included by slurm.sh and slurm_vm.sh, which have
#   DEV0 DEV1        two devices, each with at least 64 contexts
#   U                configfs' folder uacce
#   R                where the node's /run is
#   machine          resets it: no sections
#   w COMMAND...     runs wdctl on it

. "$(dirname "${BASH_SOURCE[0]}")/../include/tap.sh"

# The controller: a file for each job, "down" while nobody can reach it, "log" of what it was asked for, and "requeued".
make_controller() {
	mkdir -p jobs
	cat >scontrol <<-'END'
		#!/bin/bash
		cd "${0%/*}" || exit
		echo "$*" >>log
		[ ! -e slow ] || sleep 1000
		hosts() { if [ "$1" = 'n[1-2]' ]; then printf '%s\n' n1 n2; else tr , '\n' <<<"$1"; fi; }
		if [ "$1 $2" = "show hostnames" ]; then hosts "$3"; exit; fi
		if [ -e down ]; then
			echo 'slurm_load_jobs error: Unable to contact slurm controller (connect failure)' >&2
			exit 1
		fi
		case "$*" in
		'show job -d') [ -n "$(ls jobs)" ] && cat jobs/* || echo 'No jobs in the system' ;;
		'show job -d '*) cat "jobs/$4" 2>/dev/null ||
			{ echo 'slurm_load_jobs error: Invalid job id specified' >&2; exit 1; } ;;
		'requeue Incomplete '*)
			grep -qE 'JobState=(CONFIGURING|RUNNING|STOPPED|SUSPENDED) ' "jobs/$3" || exit 0
			grep -q BatchFlag=1 "jobs/$3" || { echo 'Requested operation not supported' >&2; exit 1; }
			echo "$3" >>requeued ;;
		*) echo "scontrol: $*" >&2; exit 1 ;;
		esac
	END
	chmod +x scontrol
}

# job ID STATE NODES TOTAL [NODES:UNITS...]: as scontrol 22.05 prints it; BATCH and NAME are optional variables.
job() {
	local id=$1 state=$2 nodes=$3 total=$4 share

	shift 4
	{
		echo "JobId=$id JobName=${NAME:-hello}"
		echo "   UserId=user($(id -u)) GroupId=user(1000) MCS_label=N/A"
		echo "   Priority=4294901757 Nice=0 Account=(null) QOS=(null)"
		echo "   JobState=$state Reason=Prolog Dependency=(null)"
		echo "   Requeue=1 Restarts=0 BatchFlag=${BATCH:-0} Reboot=0 ExitCode=0:0"
		echo "   DerivedExitCode=0:0"
		echo "   Partition=p AllocNode:Sid=host:100"
		echo "   ReqNodeList=(null) ExcNodeList=(null)"
		echo "   NodeList=$nodes"
		echo "   NumNodes=1 NumCPUs=1 NumTasks=1 CPUs/Task=1 ReqB:S:C:T=0:0:*:*"
		echo "   JOB_GRES=$total"
		for share; do
			echo "     Nodes=${share%%:*} CPU_IDs=0 Mem=0 GRES=${share#*:}"
		done
		echo "   MinCPUsNode=1 MinMemoryNode=0 MinTmpDiskNode=0"
		echo "   Command=${COMMAND:-/bin/true}"
		echo "   WorkDir=/tmp"
		echo
	} >"jobs/$id"
}

# node VERB JOB [OPTION...]: as slurmd starts our script, without PATH.
node() {
	local verb=$1 id=$2

	shift 2
	SLURM_JOB_ID=$id SLURM_JOB_UID=$ID SLURMD_NODENAME=${NODE:-n1} w slurm "$verb" --file templates \
		--scontrol "$PWD/scontrol" "$@"
}

ID=1500

templates() {
	make_controller
	mkdir -p $R
	cat >templates <<-END
		[service] NumProcesses = 2
		[slurm wd_zip] NumProcesses = 4 Devices = $DEV0 SyncCtxs = 2
		[slurm wd_sec] NumProcesses = 2 Devices = $DEV1 SyncCtxs = 2
		[slurm wd_all] NumProcesses = 1
	END
}

has_section() {
	[ -d "$U/sections/$1" ]
}

value() {
	cat "$U/sections/$1/$2"
}

# as_task JOB: what Slurm reads.
as_task() {
	node task-prolog "$1"
}

test_a_job_gets_its_units_as_slots_of_a_section() {
	machine
	templates
	job 12 RUNNING n1 wd_zip:3 'n1:wd_zip(CNT:3)'
	node prolog 12
	[ "$(head -1 "$U/sections/slurm_12/status")" = live ]
	[ "$(value slurm_12 num_processes) $(value slurm_12 allowed_uids) $(value slurm_12 sync_ctxs)" = "3 $ID 2" ]
	grep -E "$DEV0|$PARENT0" "$U/sections/slurm_12/devices"
	[ "$(as_task 12)" = "export WD_SECTION=slurm_12" ]
	# Twice is once.
	[ "$(node prolog 12)" = "nothing to do" ]
	node epilog 12
	not has_section slurm_12
	node epilog 12
	[ -z "$(as_task 12)" ]
	absent $R/wdctl-slurm/slurm_12
}

test_a_job_on_several_nodes_gets_those_of_this_node() {
	machine
	templates
	job 13 RUNNING 'n[1-2]' wd_zip:6 'n[1-2]:wd_zip(CNT:3)'
	node prolog 13
	[ "$(value slurm_13 num_processes)" = 3 ]
	job 14 RUNNING 'n1,n2' wd_zip:3,gpu:7 'n1:wd_zip(CNT:1),gpu(IDX:0-6)' 'n2:gres:wd_zip:2'
	node prolog 14
	[ "$(value slurm_14 num_processes)" = 1 ]
	NODE=n2 node prolog 14 --prefix slurm_n2_
	[ "$(value slurm_n2_14 num_processes)" = 2 ]
	[ "$(node task-prolog 14 --prefix slurm_n2_)" = "export WD_SECTION=slurm_n2_14" ]
	NODE=n2 node epilog 14 --prefix slurm_n2_
	not has_section slurm_n2_14
	has_section slurm_14
}

test_a_job_without_our_units_is_left_alone() {
	machine
	templates
	job 15 RUNNING n1 '(null)' n1:
	node prolog 15
	job 16 RUNNING n1 gpu:1,wd_zipper:2 'n1:gpu:1,wd_zipper(CNT:2)'
	node prolog 16
	[ -z "$(ls "$U/sections")" ] && [ -z "$(as_task 15)$(as_task 16)" ]
	# Also where nothing works: no controller, no program, no file, a file with errors, no kernel with sections.
	touch down
	node prolog 15
	[ "$(node task-prolog 15)" = "" ]
	rm down
	node prolog 15 --scontrol "$PWD/none" 2>err
	says 'none: No such file or directory' err
	node prolog 15 --file none 2>err
	echo '[slurm wd_zip] Devices =,' >templates
	node prolog 15 2>err
	says "[slurm wd_zip] Devices: " err
	node epilog 15
	[ -z "$(ls "$U/sections")" ]
}

# Cancelled while its prolog runs, a job has no units any more. Slurm would requeue it, and run it again.
test_a_job_that_ends_is_not_requeued() {
	machine
	templates
	BATCH=1 job 25 COMPLETING n1 wd_zip:2 n1:
	node prolog 25 2>err
	says "job 25 on node n1: scontrol gives job 25 'wd_zip:2'" err
	absent requeued
	not has_section slurm_25
	node epilog 25
}

test_a_job_whose_section_cant_be_made_is_told_why() {
	machine
	templates
	sed -i 's/SyncCtxs = 2/SyncCtxs = 1024/' templates
	job 20 RUNNING n1 wd_zip:2 'n1:wd_zip(CNT:2)'
	node prolog 20 2>err
	says 'job 20 on node n1: wdctl slurm: section slurm_20: live: not enough free contexts' err
	not has_section slurm_20
	exits 1 as_task 20 >got 2>err
	says 'print wdctl: job 20 has no accelerator units: wdctl slurm: section slurm_20: live: not enough free' got
	not grep -q requeue log
	node epilog 20
	[ -z "$(as_task 20)" ]
	# A batch job waits for its turn, but not for ever.
	BATCH=1 job 21 RUNNING n1 wd_zip:2 'n1:wd_zip(CNT:2)'
	node prolog 21 2>err
	says 'job 21: requeued' err
	grep -x 21 requeued
	SLURM_JOB_RESTART_COUNT=10 node prolog 21 2>err
	[ "$(grep -c requeue log)" = 1 ]
	exits 1 as_task 21 >got 2>err
	# Slots that came free.
	templates
	node prolog 21
	[ "$(as_task 21)" = "export WD_SECTION=slurm_21" ]
}

test_templates_with_errors_and_without_devices_refuse_only_their_jobs() {
	machine
	templates
	sed -i "s/^\[slurm wd_zip.*/[slurm wd_zip] Devices = 0fff:0f:00.0\n[slurm wd_bad] Nodes = x/" templates
	job 22 RUNNING n1 wd_zip:2 'n1:wd_zip(CNT:2)'
	node prolog 22 2>err
	exits 1 as_task 22 >got 2>err
	says 'node n1 has no device of [slurm wd_zip]' got
	job 23 RUNNING n1 wd_bad:2 'n1:wd_bad(CNT:2)'
	node prolog 23 2>err
	exits 1 as_task 23 >got 2>err
	says '[slurm wd_bad] has errors on node n1' got
	job 24 RUNNING n1 wd_sec:1 'n1:wd_sec(CNT:1)'
	node prolog 24 2>err
	[ "$(as_task 24)" = "export WD_SECTION=slurm_24" ]
}

test_units_of_two_resources_are_pairs() {
	machine
	templates
	job 25 RUNNING n1 wd_zip:2,wd_sec:2 'n1:wd_zip(CNT:2),wd_sec(CNT:2)'
	node prolog 25
	[ "$(value slurm_25 num_processes) $(value slurm_25 devices | wc -w)" = "2 2" ]
	job 26 RUNNING n1 wd_zip:2,wd_sec:1 'n1:wd_zip(CNT:2),wd_sec(CNT:1)'
	node prolog 26 2>err
	exits 1 as_task 26 >got 2>err
	says '2 units of wd_zip and 1 of wd_sec on a node: expected as many of each' got
	job 27 RUNNING n1 wd_zip:1,wd_all:1 'n1:wd_zip(CNT:1),wd_all(CNT:1)'
	node prolog 27 2>err
	exits 1 as_task 27 >got 2>err
	says '[slurm wd_zip] and [slurm wd_all] differ in more than Devices and NumProcesses' got
}

test_what_a_user_chooses_is_never_taken_for_a_field() {
	machine
	templates
	NAME='x GRES=wd_zip(CNT:4) JobState=FAILED' COMMAND='/x JOB_GRES=wd_zip:4 Nodes=n1 GRES=wd_zip:4' \
		job 30 RUNNING n1 wd_zip:1 'n1:wd_zip(CNT:1)'
	node prolog 30
	[ "$(value slurm_30 num_processes)" = 1 ]
	# Lines, if Slurm printed them.
	NAME=$'x\n   JOB_GRES=wd_zip:4\n     Nodes=n1 CPU_IDs=0 Mem=0 GRES=wd_zip(CNT:4)' \
		job 31 RUNNING n1 wd_zip:1 'n1:wd_zip(CNT:1)'
	node prolog 31 2>err
	says 'a name or comment in it looks like a field' err
	COMMAND=$'x\n     Nodes=n1 CPU_IDs=0 Mem=0 GRES=wd_zip(CNT:3)' job 32 RUNNING n1 wd_zip:1 'n1:wd_zip(CNT:1)'
	node prolog 32 2>err
	exits 1 as_task 32 >got 2>err
	says "scontrol gives job 32 'wd_zip:1', and node n1 no part of it that fits" got
	# Another's job, declared dead.
	COMMAND=$'x\n\nJobId=30 JobName=x\n   JobState=FAILED' job 33 RUNNING n1 wd_sec:1 'n1:wd_sec(CNT:1)'
	node prolog 33 2>err
	has_section slurm_30
	not has_section slurm_31
	not has_section slurm_32
}

test_sections_of_jobs_that_are_gone_are_removed_by_the_next_prolog() {
	local i

	machine
	templates
	for i in 40 41 42 43 44; do
		job $i RUNNING n1 wd_zip:1 'n1:wd_zip(CNT:1)'
		node prolog $i
	done
	w section add slurm_x Devices=$DEV1 >/dev/null
	w section add service Devices=$DEV1 >/dev/null
	rm jobs/40
	job 41 COMPLETED n1 wd_zip:1 n1:
	job 42 PENDING '(null)' wd_zip:1
	job 43 RUNNING n2 wd_zip:1 'n2:wd_zip(CNT:1)'
	# Nobody is deleted on the word of a controller that can't be reached.
	job 45 RUNNING n1 '(null)' n1:
	job 46 RUNNING n1 wd_sec:1 'n1:wd_sec(CNT:1)'
	touch down
	node prolog 46 2>err
	[ "$(ls "$U/sections" | xargs)" = "service slurm_40 slurm_41 slurm_42 slurm_43 slurm_44 slurm_x" ]
	rm down
	# A job without units asks for no list.
	: >log
	node prolog 45
	[ "$(cat log)" = "show job -d 45" ]
	node prolog 46 2>err
	[ "$(ls "$U/sections" | xargs)" = "service slurm_44 slurm_46 slurm_x" ]
	says 'removing section slurm_40: its job is not on node n1' err
	[ "$(grep -c '^show job -d$' log)" = 1 ]
}

test_a_controller_that_cant_be_reached_leaves_a_question_to_the_task() {
	machine
	templates
	job 50 RUNNING n1 wd_zip:1 'n1:wd_zip(CNT:1)'
	job 51 RUNNING n1 '(null)' n1:
	touch down
	node prolog 50 2>err
	says "job 50 on node n1: Slurm's controller could not be asked" err
	node prolog 51 2>err
	rm down
	exits 1 as_task 50 >got 2>err
	says "print wdctl: job 50 has no accelerator units: Slurm's controller could not be asked" got
	[ -z "$(as_task 51)" ]
	node epilog 50
	[ -z "$(ls $R/wdctl-slurm | grep -v 51)" ]
}

test_a_killed_prolog_is_finished_by_the_next() {
	local i code=137 killed=0

	machine
	templates
	job 60 RUNNING n1 wd_zip:2 'n1:wd_zip(CNT:2)'
	for ((i = 1; code == 137; i++)); do
		node epilog 60
		code=0
		NTH_KILL=$i node prolog 60 >/dev/null 2>&1 || code=$?
		[ $code = 0 ] || {
			killed=$((killed + 1))
			exits 1 as_task 60 >got 2>/dev/null
			says 'was interrupted' got
		}
		node prolog 60 >/dev/null
		[ "$(as_task 60) $(value slurm_60 num_processes)" = "export WD_SECTION=slurm_60 2" ]
	done
	[ $code = 0 ] && [ $killed -ge 4 ]
}

test_without_a_place_for_the_reason_the_node_is_not_used() {
	machine
	templates
	sed -i 's/SyncCtxs = 2/SyncCtxs = 1024/' templates
	rm -rf $R/wdctl-slurm
	: >$R/wdctl-slurm
	job 61 RUNNING n1 wd_zip:1 'n1:wd_zip(CNT:1)'
	exits 1 node prolog 61 2>err
	says "node n1 can't write below /run/wdctl-slurm" err
	# Not for others, and not for a job that can wait elsewhere.
	job 62 RUNNING n1 '(null)' n1:
	node prolog 62
	BATCH=1 job 63 RUNNING n1 wd_zip:1 'n1:wd_zip(CNT:1)'
	node prolog 63 2>err
	says 'job 63: requeued' err
	rm $R/wdctl-slurm
}

test_prologs_run_at_the_same_time() {
	local i

	machine
	templates
	for i in $(seq 70 77); do
		job $i RUNNING n1 wd_zip:1 'n1:wd_zip(CNT:1)'
		node prolog $i >/dev/null 2>&1 &
	done
	wait
	[ "$(ls "$U/sections" | wc -l)" = 8 ]
	for i in $(seq 70 77); do
		[ "$(as_task $i)" = "export WD_SECTION=slurm_$i" ]
		node epilog $i >/dev/null 2>&1 &
	done
	wait
	[ -z "$(ls "$U/sections")" ]
}
