# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Programs of others with the library in the place of the distribution's zlib; included by the scripts of this area.

. "$(dirname "${BASH_SOURCE[0]}")/../include/programs.sh"
. "$(dirname "${BASH_SOURCE[0]}")/../include/preloaded.sh"

# shellcheck disable=SC2034 # of preloaded.sh
LAUNCHER=wd-zlib COUNTS=WD_ZLIB_STATS
need_built() {
	[ -e "$OUT/lib/warpdrive/zlib/libz.so.1" ] || not_here 'the library libz.so.1 was left out of the build'
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
