# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Programs of others under wd-zstd; included by the scripts of this area that run such programs.

. "$(dirname "${BASH_SOURCE[0]}")/../include/programs.sh"
. "$(dirname "${BASH_SOURCE[0]}")/../include/preloaded.sh"

# shellcheck disable=SC2034 # of preloaded.sh
LAUNCHER=wd-zstd COUNTS=WD_ZSTD_STATS
need_built() {
	[ -e "$OUT/lib/libwd-zstd.so" ] || not_here 'the library libwd-zstd.so was left out of the build'
}

# took_part [PROGRAM]: devices found matches for it, since the last call.
took_part() {
	did_at_least 1 device_bytes "$@"
	rm did
}
