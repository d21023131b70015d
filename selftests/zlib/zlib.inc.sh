# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Programs of others with the library in the place of the distribution's zlib; included by the scripts of this area.

. "$(dirname "${BASH_SOURCE[0]}")/../include/programs.sh"

# It would leave all to zlib.
unset SOURCE_DATE_EPOCH
need_built() {
	[ -e "$OUT/lib/warpdrive/zlib/libz.so.1" ] || not_here 'the library libz.so.1 was left out of the build'
}

# stock COMMAND...: with the distribution's zlib.
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

	shift
	while [ "$1" != -- ]; do
		devices+=("$1")
		shift
	done
	[ -z "$SIMULATED" ] || devices=(env)
	WD_ZLIB_STATS=$PWD/did of_set "$set" "${devices[@]}" -- wd-zlib "$@"
}

# on_none SET COMMAND...: the same without devices.
on_none() { WD_ZLIB_STATS=$PWD/did of_set "$1" wd-zlib -- "${@:2}"; }

# start_on_devices NAME SET [OPTION...] -- COMMAND...: the same in the background, as start does.
start_on_devices() {
	local name=$1 set=$2 options=()

	shift 2
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	WD_ZLIB_STATS=$PWD/did start "$name" "$set" --zip 2 "${options[@]}" -- wd-zlib "$@"
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

# devices_deflated COUNT [PROGRAM]: devices had at least that many bytes of input.
devices_deflated() { did_at_least "$1" deflate_device_bytes "${@:2}"; }

# none_deflated: no device had anything.
none_deflated() {
	[ "$(sum_of deflate_device_bytes)" = 0 ] || { cat did; return 1; }
	did_at_least 1 deflate_zlib_bytes
}

# data COUNT FILE: the same bytes each time, of which zlib makes some two thirds: text, and noise in between.
data() {
	python3 -c '
import random, sys
count, rand = int(sys.argv[1]), random.Random(7)
words = [b"%x" % rand.getrandbits(rand.randrange(8, 60)) for _ in range(3000)]
text = [b" ".join(rand.choices(words, k=40000)) for _ in range(8)]
with open(sys.argv[2], "wb") as file:
    while file.tell() < count:
        piece = rand.choice(text)[rand.randrange(100000):]
        file.write((piece + rand.randbytes(60000))[:count - file.tell()])' "$1" "$2"
}

# big_file: $BIG, of BIG_BYTES, once for each script.
BIG_BYTES=5000000
[ -z "${WD_TEST_LONG:-}" ] || BIG_BYTES=30000000
big_file() {
	BIG=$WORK/big
	[ -e "$BIG" ] || { data $BIG_BYTES "$BIG.new" && mv "$BIG.new" "$BIG"; }
}

# unpacks FILE: gzip says that it is good, and it is $BIG.
unpacks() {
	gzip -t "$1"
	gzip -dc "$1" | same "$BIG" -
}

# source_of PACKAGE: sets SOURCE to the folder of that source package; it skips the test if that isn't in the cache.
# With WD_TEST_LONG=1 it is fetched.
source_of() {
	[ -n "${WD_TEST_LONG:-}" ] || kept sources "$1" ||
		skip "the source is not in the cache: scripts/programs --source $1 fetches it"
	SOURCE=$("$TOP/scripts/programs" --source "$1") || skip "the source package $1 can't be had"
}

# need_also SET: skips the test if this set is not in the cache; with WD_TEST_LONG=1 it is fetched.
need_also() {
	[ -n "${WD_TEST_LONG:-}" ] || kept programs "$1" ||
		skip "the set is not in the cache: scripts/programs $1 fetches it"
	"$TOP/scripts/programs" "$1" >/dev/null || skip "the set $1 can't be had"
}
