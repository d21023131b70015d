# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Programs of others with a library in front of theirs, which gives them devices; included after programs.sh. LAUNCHER
# is the program that does that, COUNTS the variable with the file for its counts.

# It would leave all to the distribution's library.
unset SOURCE_DATE_EPOCH

# stock COMMAND...: with the distribution's library.
stock() { "$@"; }

# of_set SET COMMAND...: with programs of that set, or of this host only.
of_set() {
	if [ "$1" = host ]; then
		"${@:2}"
	else
		with_set "$@"
	fi
}

# on_devices SET [OPTION...] -- COMMAND...: a command with programs of that set, or of this host, and with the library,
# on two devices, which have these options of wd-emulate. Each of its processes appends a line to the file did. With
# SIMULATED the devices are the kernel's.
on_devices() {
	local devices=(wd-emulate --zip 2) set=$1
	local -x "$COUNTS=$PWD/did"

	shift
	while [ "$1" != -- ]; do
		devices+=("$1")
		shift
	done
	[ -z "$SIMULATED" ] || devices=(env)
	of_set "$set" "${devices[@]}" -- "$LAUNCHER" "$@"
}

# on_none SET COMMAND...: the same without devices.
on_none() {
	local -x "$COUNTS=$PWD/did"

	of_set "$1" "$LAUNCHER" -- "${@:2}"
}

# start_on_devices NAME SET [OPTION...] -- COMMAND...: the same in the background, as start does.
start_on_devices() {
	local name=$1 set=$2 options=()
	local -x "$COUNTS=$PWD/did"

	shift 2
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	start "$name" "$set" --zip 2 "${options[@]}" -- "$LAUNCHER" "$@"
}

# sum_of FIELD [PROGRAM]: of the lines in the file did, or of those of one program.
sum_of() {
	: >>did
	awk -v field="$1=" -v program="${2:+program=$2}" 'program == "" || $1 == program {
		for (i = 1; i <= NF; i++)
			if (index($i, field) == 1)
				n += substr($i, length(field) + 1)
	} END { printf "%d\n", n }' did
}

# did_at_least COUNT FIELD [PROGRAM]
did_at_least() {
	local did

	did=$(sum_of "${@:2}")
	[ "$did" -ge "$1" ] || {
		echo "expected at least $1 in ${*:2}, got $did:"
		cat did
		return 1
	}
}

# source_of PACKAGE: sets SOURCE to the folder of that source package; it skips the test if that isn't in the cache.
# With WD_TEST_LONG=1 it is fetched.
source_of() {
	[ -n "${WD_TEST_LONG:-}" ] || kept sources "$1" ||
		skip "the source is not in the cache: scripts/programs --source $1 fetches it"
	# shellcheck disable=SC2034 # of those who include this file
	SOURCE=$("$TOP/scripts/programs" --source "$1") || skip "the source package $1 can't be had"
}

# need_also SET: skips the test if this set is not in the cache; with WD_TEST_LONG=1 it is fetched.
need_also() {
	[ -n "${WD_TEST_LONG:-}" ] || kept programs "$1" ||
		skip "the set is not in the cache: scripts/programs $1 fetches it"
	"$TOP/scripts/programs" "$1" >/dev/null || skip "the set $1 can't be had"
}
