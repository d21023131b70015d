# SPDX-License-Identifier: Apache-2.0
# What wdzip must do with data and members of gzip's format: exchange them with gzip, list them, and notice damage.
# Included by wdzip_cases.sh.

test_exchanges_0_bytes_with_gzip() {
	: >f
	roundtrip f
}

test_exchanges_1_byte_with_gzip() {
	printf x >f
	roundtrip f
}

test_exchanges_64k_and_one_less_and_one_more_with_gzip() {
	local n

	for n in 65535 65536 65537; do
		text $n >f
		roundtrip f
	done
}

test_exchanges_incompressible_data_with_gzip() {
	head -c 300000 /dev/urandom >f
	roundtrip f
}

test_exchanges_sizes_around_its_own_buffers_with_gzip() {
	local n

	for n in 262144 524287 524288 524289 1048576; do
		text $n >f
		roundtrip f
	done
}

test_compresses_large_inputs_in_parts() {
	local n threads

	for n in 524289 3500000; do
		text $n >f
		for threads in 1 2 7; do
			wz -T $threads -c f >$threads.gz
			gzip -dc $threads.gz | same - f
			cat f | wz -T $threads -c >pipe_$threads.gz
		done
		# The parts don't depend on how many threads compress them.
		same 2.gz 7.gz
		same 2.gz pipe_2.gz
		same 2.gz pipe_7.gz
		wz -dc 7.gz | same - f
		# Of one thread a device gets a stream, and software a file at once.
		if [ "$WANT" = soft ]; then same pipe_1.gz 2.gz; else same pipe_1.gz 1.gz; fi
	done
	not same 1.gz 2.gz
	head -c 2000000 /dev/urandom >f
	roundtrip f
}

test_does_without_threads() {
	[ "${#RUN[@]}" = 0 ] || skip 'same as on the software path'
	text 5000000 >f
	wdzip -T 64 -c f >f.gz
	cat >none.c <<-'END'
		#include <errno.h>
		int pthread_create(void) { return EAGAIN; }
	END
	gcc -shared -fPIC -o none.so none.c
	LD_PRELOAD=./none.so wdzip -T 64 -c f | same - f.gz
}

test_parts_have_the_name_and_the_level_in_one_header() {
	text 2000000 >f
	touch -d @1000000000 f
	for level in 1 6 9; do
		wz -N -T 4 -$level -c f >f.gz
		wz -N -T 1 -$level -c f >g.gz
		same <(head -c 12 f.gz) <(head -c 12 g.gz)
	done
	gzip -lv f.gz >got
	says 2000000 got
}

test_exchanges_a_tar_of_a_directory_with_gzip() {
	tar -C "$TOP" -cf f docs include kernel
	roundtrip f
	wz -c f | tar -tzf - >list
	says include/uapi list
}

test_serves_tar_as_its_compressor() {
	[ ${#RUN[@]} = 0 ] || skip "tar starts the compressor itself"
	mkdir d e
	text 70000 >d/f
	tar -I wdzip -cf d.tgz d
	gzip -t d.tgz
	tar -I wdzip -C e -xf d.tgz
	same d/f e/d/f
}

test_takes_every_level() {
	local level

	text 50000 >f
	for level in -1 -2 -3 -4 -5 -6 -7 -8 -9 --fast --best; do
		wz $level -c f | gzip -dc | same - f
	done
}

test_decompresses_what_every_level_of_gzip_writes() {
	local level

	text 200000 >f
	for level in 1 3 6 9; do
		gzip -$level -c f | wz -dc | same - f
	done
}

test_decompresses_members_one_after_the_other() {
	text 70000 >a
	head -c 1000 /dev/urandom >b
	: >c
	{ gzip -c a; gzip -1c b; wz -c c; wz -c a; } >all.gz
	cat a b c a >all
	wz -dc all.gz | same - all
	wz -t all.gz
	gzip -dc all.gz | same - all
}

test_decompresses_many_small_members() {
	local i

	text 10 >a
	gzip -c a >one
	for i in $(seq 300); do cat one; done >all.gz
	for i in $(seq 300); do cat a; done >all
	wz -dc all.gz | same - all
}

test_ignores_zeros_after_the_end() {
	text 1000 >f
	{ gzip -c f; head -c 700000 /dev/zero; } >f.gz
	wz -dc f.gz 2>err | same - f
	[ ! -s err ]
}

test_warns_of_garbage_after_the_end() {
	text 1000 >f
	gzip -c f >f.gz
	echo garbage >>f.gz
	exits 2 wz -dc f.gz >got 2>err
	same got f
	says "trailing garbage ignored" err
	exits 2 wz -dqc f.gz >got 2>err
	[ ! -s err ]
	{ gzip -c f; head -c 1000 /dev/zero; echo garbage; } >f.gz
	exits 2 wz -dc f.gz >got 2>err
	same got f
}

test_reads_headers_with_all_optional_fields() {
	text 5000 >f
	printf '\037\213\010\036\1\2\3\4\0\3\5\0extraname\0a comment\0' >head
	# gzip's trailer for the header's bytes has their CRC-32; its low half is the header's CRC.
	gzip -c head | tail -c 8 | head -c 2 >crc
	gzip -nc f | tail -c +11 >body
	cat head crc body >f.gz
	gzip -t f.gz
	wz -dc f.gz | same - f
	{ gzip -c f; cat f.gz; } >two.gz
	cat f f >two
	wz -dc two.gz | same - two
}

test_refuses_a_header_with_a_wrong_checksum_or_method() {
	text 5000 >f
	gzip -nc f | tail -c +11 >body
	{ printf '\037\213\010\2\1\2\3\4\0\3\0\0'; cat body; } >a.gz
	exits 1 wz -t a.gz 2>err
	says "a.gz: " err
	{ printf '\037\213\7\0\1\2\3\4\0\3'; cat body; } >b.gz
	exits 1 wz -t b.gz
	{ printf '\037\213\010\340\1\2\3\4\0\3'; cat body; } >c.gz
	exits 1 wz -t c.gz
}

test_names_what_is_not_gzip() {
	text 1000 >f.gz
	exits 1 wz -dc f.gz 2>err >got
	says "f.gz: not in gzip format" err
	[ ! -s got ]
	: >g.gz
	exits 1 wz -dc g.gz 2>err
	says "g.gz: unexpected end of file" err
	exits 1 wz -d f.gz
	absent f
}

test_passes_through_with_dcf() {
	text 600000 >f
	wz -dcf f | same - f
	gzip -c f | wz -dcf | same - f
	# As gzip does: standard input goes to standard output without -c.
	wz -df <f | same - f
	exits 1 wz -df -o out <f 2>err
	says "not in gzip format" err
}

test_a_stream_cut_anywhere_is_an_error_and_leaves_nothing() {
	local size cut i

	{ text 60000; head -c 20000 /dev/urandom; } >plain
	gzip -c plain >whole
	size=$(stat -c %s whole)
	for cut in $(seq 0 22) $(seq $((size - 12)) $((size - 1))) \
		$(for i in $(seq "$MANY"); do echo $((size * i / (MANY + 1))); done); do
		head -c "$cut" whole >f.gz
		exits 1 wz -d f.gz 2>err
		says "f.gz: unexpected end of file" err
		absent f
		[ "$(stat -c %s f.gz)" = "$cut" ]
	done
}

test_a_second_member_cut_anywhere_is_an_error() {
	local size cut

	text 3000 >plain
	gzip -c plain >one
	size=$(stat -c %s one)
	for cut in 2 3 9 10 11 $((size / 2)) $((size - 8)) $((size - 1)); do
		{ cat one; head -c "$cut" one; } >f.gz
		exits 1 wz -t f.gz 2>err
		says "unexpected end of file" err
	done
}

test_a_damaged_byte_is_noticed_wherever_gzip_notices_it() {
	local size at i want got byte

	text 40000 >plain
	gzip -nc plain >whole
	size=$(stat -c %s whole)
	for at in $(seq 0 12) $(seq $((size - 8)) $((size - 1))) \
		$(for i in $(seq "$MANY"); do echo $((13 + (size - 21) * i / (MANY + 1))); done); do
		cp whole f.gz
		byte=$(od -An -tu1 -j "$at" -N 1 whole)
		printf "\\$(printf %03o $((byte ^ 0x55)))" |
			dd of=f.gz bs=1 seek="$at" conv=notrunc status=none
		want=0
		gzip -dc f.gz >ref 2>/dev/null || want=1
		got=0
		wz -dc f.gz >out 2>err || got=1
		[ $got = $want ] || {
			echo "byte $at: gzip ended with $want, wdzip with $got"
			cat err
			return 1
		}
		if [ $got = 0 ]; then
			same out ref
		else
			says "wdzip: f.gz: " err
		fi
	done
}

test_says_when_only_checksum_or_length_is_wrong() {
	local size

	text 40000 >plain
	gzip -nc plain >f.gz
	size=$(stat -c %s f.gz)
	printf '\1\2\3\4' | dd of=f.gz bs=1 seek=$((size - 8)) conv=notrunc status=none
	exits 1 wz -t f.gz 2>err
	grep -qiE 'crc|checksum|data check' err
	gzip -nc plain >f.gz
	printf '\1\2\3\4' | dd of=f.gz bs=1 seek=$((size - 4)) conv=notrunc status=none
	exits 1 wz -t f.gz 2>err
	grep -qiE 'length|size|checksum' err
}

test_checks_without_writing() {
	text 1000 >f
	gzip f
	wz -t f.gz
	absent f
	[ -e f.gz ]
	wz -tv f.gz 2>err
	says OK err
}

test_copies_with_cdf_what_follows_a_member() {
	local rest

	text 70000 >f
	for rest in 'yyy\n' '\1' '\0\0' '\0x' '\0\37\213'; do
		{ gzip -c f; printf "$rest"; } >f.gz
		{ cat f; printf "$rest"; } >want
		wz -cdf <f.gz | same - want
	done
	{ gzip -c f; cat f f f f; } >f.gz
	wz -cdf f.gz | same - <(cat f f f f f)
	{ gzip -c f; gzip -c f; echo x; } | wz -cdf | same - <(cat f f; echo x)
}

test_a_lone_byte_behind_the_last_member_is_a_cut_off_one() {
	text 1000 >f
	{ gzip -c f; printf '\37'; } >f.gz
	exits 1 wz -t f.gz 2>err
	says 'f.gz: unexpected end of file' err
	{ gzip -c f; printf '\0'; } >f.gz
	wz -t f.gz
}

test_names_the_formats_that_it_does_not_read() {
	local second

	for second in 235 36 240; do
		printf "\37\\$second\220\0\0\0" >f.gz
		exits 1 wz -dc f.gz 2>err
		says ", which wdzip doesn't read" err
		exits 1 wz -dcf f.gz >got 2>err
		[ ! -s got ]
		{ echo x | gzip -c; cat f.gz; } >g.gz
		exits 1 wz -t g.gz 2>err
		says ", which wdzip doesn't read" err
	done
}

test_lists_as_gzip_does() {
	local options

	text 300000 >a
	: >b
	head -c 3000 /dev/urandom >c
	touch -d @1000000000 a
	gzip -kN a b
	gzip -cn c >c.gz
	mv a.gz other.gz
	for options in -l -lv -lN -lvN -lq -lqv -ld -lt; do
		wz $options other.gz b.gz c.gz >got
		gzip $options other.gz b.gz c.gz | same - got
		wz $options other.gz >got
		gzip $options other.gz | same - got
		wz $options <c.gz >got
		gzip $options <c.gz | sed 's/ [A-Z][a-z][a-z] .. ..:.. / TIME /' >want
		sed 's/ [A-Z][a-z][a-z] .. ..:.. / TIME /' got | same - want
	done
	exits 1 wz -l c 2>err
	says 'c: not in gzip format' err
}

test_lists_true_sizes() {
	text 123456 >f
	{ gzip -c f; gzip -c f; } >f.gz
	wz -l f.gz >got
	says " 246912 " got
	says " $(stat -c %s f.gz) " got
}
