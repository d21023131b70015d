# SPDX-License-Identifier: Apache-2.0
# TAP for shell tests: every function named test_... is one test, run in a folder of its own.

TOP=${TOP:-$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)}
OUT=${OUT:-$TOP/build/user}
WORK=$(mktemp -d "${TMPDIR:-/tmp}/wd-tools.XXXXXX")
trap 'chmod -R u+rwX "$WORK" 2>/dev/null; rm -rf "$WORK"' EXIT
PATH=$OUT/bin:$PATH
export PATH

skip() {
	echo "SKIP $*"
	exit 4
}

# exits CODE COMMAND...: the command must end with exactly this code.
exits() {
	local want=$1 got=0

	shift
	"$@" || got=$?
	[ "$got" = "$want" ] || {
		echo "'$*' ended with $got, expected $want"
		return 1
	}
}

# "set -e" looks away when a command is only negated by the shell.
not() {
	! "$@"
}

# says TEXT FILE: the file has this text, whatever the line.
says() {
	grep -qF -- "$1" "$2" || {
		echo "expected '$1' in:"
		cat "$2"
		return 1
	}
}

same() {
	cmp -- "$1" "$2"
}

absent() {
	[ ! -e "$1" ] || {
		echo "$1 exists"
		return 1
	}
}

# until_true SECONDS COMMAND...: look again and again until the deadline.
until_true() {
	local end=$((SECONDS + $1))

	shift
	until "$@"; do
		[ $SECONDS -lt $end ] || {
			echo "'$*' was not true in time"
			return 1
		}
		sleep 0.02
	done
}

# run_tests [PATTERN...]: those whose names match one of the patterns, else all.
run_tests() {
	local n=0 failed=0 t rc log=$WORK/log
	local tests

	tests=$(declare -F | sed -n 's/^declare -f \(test_.*\)/\1/p' | grep -E "$(IFS='|'; echo "$*")")
	echo "1..$(echo "$tests" | wc -w)"
	for t in $tests; do
		n=$((n + 1))
		mkdir "$WORK/$t"
		(cd "$WORK/$t" && set -eo pipefail && "$t") >"$log" 2>&1 </dev/null
		rc=$?
		t=${t#test_}
		case $rc in
		0) echo "ok $n - ${t//_/ }" ;;
		4) echo "ok $n - ${t//_/ } # SKIP $(sed -n 's/^SKIP //p' "$log" | tail -1)" ;;
		*)
			sed 's/^/# /' "$log"
			echo "not ok $n - ${t//_/ }"
			failed=$((failed + 1))
			;;
		esac
	done
	[ $failed = 0 ]
}
