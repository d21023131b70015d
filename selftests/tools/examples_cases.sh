# SPDX-License-Identifier: Apache-2.0
# The samples of docs/examples do what their first comment says; included by examples*.sh (RUN, WANT as in wdzip_cases.sh).

. "$(dirname "${BASH_SOURCE[0]}")/../include/tap.sh"

example() {
	"${RUN[@]}" "$OUT/examples/$1" "${@:2}"
}

text() {
	{ seq 1 $(($1 / 5 + 10)) || :; } | head -c "$1"
}

test_comp_block_comes_back_the_same() {
	local n

	for n in 0 1 4096 3000000; do
		text $n >f
		example comp_block f >got
		says "path $WANT (" got
	done
	exits 1 example comp_block missing
	exits 1 example comp_block
}

test_comp_stream_agrees_with_gzip() {
	local n

	for n in 0 1 65535 65536 65537 5000000; do
		text $n >f
		example comp_stream <f | gzip -dc | same - f
		gzip -c f | example comp_stream -d | same - f
		example comp_stream <f | example comp_stream -d | same - f
	done
}

test_comp_stream_refuses_what_was_cut() {
	text 100000 >f
	gzip -c f | head -c 5000 >cut
	exits 1 example comp_stream -d <cut 2>err >/dev/null
	says "comp_stream: " err
}

test_comp_async_loses_no_block() {
	example comp_async >got
	says "2000 blocks, 0 failed" got
	says "path $WANT" got
}

test_polling_loses_no_block() {
	local sample

	for sample in poll_1 poll_2 poll_3 poll_epoll; do
		example $sample >got
		says "2000 blocks, 0 failed" got
		says "path $WANT" got
	done
}
