#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The instructions that the ring's accesses become on arm64 (docs/ordering.md). An emulated arm64 runs in the order of
# the machine that emulates it, so no test can watch a missing barrier there; this one reads the compiler's output.
set -u

. "$(dirname "$0")/../include/tap.sh"

CC=${CROSS_COMPILE:-aarch64-linux-gnu-}gcc
command -v "$CC" >/dev/null || { echo "1..0 # SKIP $CC is missing"; exit 4; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# The only header that isn't the compiler's own.
printf '#define htole64(x) (x)\n#define le16toh(x) (x)\n' >"$scratch/endian.h"
cat >"$scratch/ring.c" <<'END'
#include "barrier.h"
void publish(_Atomic uint64_t *d, uint64_t v, uint64_t *sqe) { *sqe = v; wd_ring_publish(d, v); }
uint32_t consume(const _Atomic uint16_t *w, const uint32_t *cqe) { return wd_ring_consume(w) + *cqe; }
void announce(_Atomic uint32_t *w, uint64_t *sqe) { wd_ring_announce(w); *sqe = 0; }
uint16_t settle(_Atomic uint64_t *d, const _Atomic uint16_t *w)
{
	wd_ring_publish(d, 1);
	wd_ring_settle();
	return wd_ring_consume(w);
}
END
build() {
	"$CC" -O2 -std=c11 -ffreestanding -I"$scratch" -I"$TOP/user/libhisi_qm" -S -o "$scratch/ring.s" \
		"$scratch/ring.c"
}

# becomes FUNCTION PATTERN...: its loads, stores and barriers are these, in this order, and no others.
becomes() {
	local name=$1
	shift
	sed -n "/^$name:/,/\.size/p" "$scratch/ring.s" |
		sed -n 's/^\t\(dmb\|dsb\|ld[a-z]*\|st[a-z]*\)[\t ]\(osh[a-z]*\|ish[a-z]*\|sy\)\?.*/\1 \2/p' |
		sed 's/ $//' >"$scratch/$name"
	diff <(printf '%s\n' "$@") "$scratch/$name"
}

test_that 'the accesses of a ring compile for arm64' build
test_that 'a doorbell follows its descriptor through a store barrier for devices' becomes publish str 'dmb oshst' stlr
test_that 'a completion is read after its phase, through a load barrier for devices' becomes consume ldarh \
	'dmb oshld' ldr
test_that 'the announcement of descriptors is visible before them' becomes announce str 'dmb ish' str
test_that 'a doorbell arrives before the last look at the ring' becomes settle 'dmb oshst' stlr 'dsb sy' ldarh \
	'dmb oshld'
tap_done
