# SPDX-License-Identifier: Apache-2.0
# The samples of docs/examples do what their first comment says. Included by examples*.sh (RUN, WANT as in
# wdzip_cases.sh).

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
		# Each line: no other path did any of the work.
		! grep -v ", path $WANT\$" got || return
	done
}

# Changes the byte at that position of the file.
spoil() {
	local byte

	byte=$(od -An -tu1 -j "$2" -N1 "$1")
	printf '%b' "\\0$(printf %o $((byte ^ 1)))" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}

test_crypt_file_comes_back_the_same() {
	local n

	text 32 >key
	for n in 0 1 65535 65536 65537 200000; do
		text $n >f
		example crypt_file -e key f sealed 2>err
		says "done by " err
		[ "$(stat -c %s sealed)" = $((40 + n + 16 * (n ? (n + 65535) / 65536 : 1))) ]
		example crypt_file -d key sealed got 2>err
		same got f
	done
}

test_crypt_file_refuses_what_was_changed() {
	local at

	text 32 >key
	text 200000 >f
	example crypt_file -e key f sealed 2>err
	for at in 8 40 65577 65600 131200 200100; do
		cp sealed bad
		spoil bad $at
		exits 1 example crypt_file -d key bad got 2>err
		says "is not what was encrypted" err
		[ ! -e got ]
	done
	# Whole pieces are missing.
	head -c $((40 + 65552)) sealed >bad
	exits 1 example crypt_file -d key bad got 2>err
	says "is not what was encrypted" err
	[ ! -e got ]
	text 33 | tail -c 32 >other
	exits 1 example crypt_file -d other sealed got 2>err
	exits 1 example crypt_file -d key f got 2>err
	says "was not made by crypt_file" err
	exits 1 example crypt_file -d missing f got 2>err
}

test_crypt_file_does_not_write_over_what_it_reads() {
	local op out

	text 32 >key
	text 200000 >f
	example crypt_file -e key f sealed 2>err
	cp f f.was
	cp sealed sealed.was
	cp key key.was
	ln -s f symbolic
	ln f hard
	for out in f ./f symbolic hard; do
		exits 1 example crypt_file -e key f $out 2>err
		says "f and $out are the same file" err
	done
	for op in -e -d; do
		exits 1 example crypt_file $op key sealed sealed 2>err
		says "sealed and sealed are the same file" err
		exits 1 example crypt_file $op key sealed key 2>err
		says "key and key are the same file" err
	done
	exits 1 example crypt_file -e key f . 2>err
	says ".: is not a regular file" err
	exits 1 example crypt_file -e key f missing/sealed 2>err
	same f f.was
	same sealed sealed.was
	same key key.was
	[ -L symbolic ]
}

test_crypt_file_that_fails_leaves_what_was_there() {
	text 32 >key
	text 200000 >f
	example crypt_file -e key f sealed 2>err
	spoil sealed 131200
	echo old >got
	exits 1 example crypt_file -d key sealed got 2>err
	says "is not what was encrypted" err
	[ "$(cat got)" = old ]
	absent got.part
	# Another program's file, or one left by a crash.
	echo theirs >got.part
	exits 1 example crypt_file -e key f got 2>err
	says "got.part: File exists" err
	[ "$(cat got got.part)" = "$(printf 'old\ntheirs')" ]
}

test_crypt_file_that_is_interrupted_leaves_nothing() {
	local sig

	text 32 >key
	mkfifo in
	# The program waits for more input than will ever come.
	exec 3<>in
	for sig in INT TERM; do
		# A process group of its own, like a terminal's foreground: a shell's background jobs ignore SIGINT.
		set -m
		example crypt_file -e key in sealed 2>err &
		set +m
		text 100000 >&3
		until_true 30 says "done by" err >/dev/null
		kill -$sig -- -$!
		wait $! && return 1
		until_true 30 absent sealed.part
		absent sealed
	done
}

test_hash_file_agrees_with_sha256sum() {
	local n

	for n in 0 1 65535 65536 65537 200000; do
		text $n >f$n
	done
	example hash_file f* >got 2>err
	sha256sum f* | same got -
	[ "$(grep -c "done by $WANT" err)" = 6 ]
	exits 1 example hash_file missing f1 . >got 2>err
	says 'missing: No such file' err
	says '.: Is a directory' err
	sha256sum f1 | same got -
}

test_cbc_stream_agrees_with_openssl() {
	local n

	text 48 >key
	hex() { od -An -v -tx1 | tr -d ' \n'; }
	for n in 0 1 16 65536 65537; do
		text $n >f
		example cbc_stream -e key <f >got 2>err
		says "done by $WANT" err
		openssl enc -aes-256-cbc -K "$(head -c 32 key | hex)" -iv "$(tail -c 16 key | hex)" <f | same got -
		example cbc_stream -d key <got 2>err | same f -
	done
}

test_cbc_stream_refuses_what_it_did_not_encrypt() {
	local n

	text 48 >key
	text 47 >short
	exits 1 example cbc_stream -e short <key 2>err
	says 'short: expected 48 bytes' err
	exits 1 example cbc_stream key <key 2>err
	says usage: err
	text 100 >f
	example cbc_stream -e key <f 2>err >got
	for n in 0 1 16 79 80; do
		head -c $n got >cut
		exits 1 example cbc_stream -d key <cut 2>err >opened
		says 'was not encrypted with this key' err
	done
}

test_openssl_verifies_what_sign_file_signs() {
	local bits

	text 200000 >f
	for bits in 1024 2048; do
		openssl genrsa -traditional -out pem $bits 2>/dev/null
		openssl rsa -in pem -traditional -outform DER -out key 2>/dev/null
		openssl rsa -in pem -pubout -out public 2>/dev/null
		example sign_file key f >signature 2>err
		says "done by $WANT" err
		openssl dgst -sha256 -verify public -signature signature f
	done
	head -c 100 key >cut
	exits 1 example sign_file cut f 2>err >signature
	says 'cut: expected an RSAPrivateKey' err
	exits 1 example sign_file pem f 2>err >signature
	says 'pem: expected an RSAPrivateKey' err
	[ ! -s signature ]
}

test_agree_finds_one_secret() {
	example agree >got
	says 'both sides have the same secret of 256 bytes' got
	[ "$(grep -c "by $WANT" got)" = 4 ]
}

test_handshakes_agree_with_one_thread() {
	example handshakes >said
	says '200 handshakes, 0 failed' said
	says "1200 by $WANT" said
}
