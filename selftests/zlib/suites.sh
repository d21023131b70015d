#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Suites of others: zlib's own programs, and Python's, Perl's and Ruby's tests of zlib, have the outcomes that they have
# with the distribution's zlib, without devices and with them. On devices those of Ruby's that the file ruby_differs
# names fail by intention, which is tested as well.
# WD_TEST_LONG=1: also tests of archives, and sources that are not in the cache.

. "$(dirname "$0")/zlib.inc.sh"
. "$(dirname "$0")/../include/outcomes.sh"
need_devices

DIFFERS=$(realpath "$(dirname "$0")/ruby_differs")
PYTHON='test_zlib test_gzip' PERL=Compress-Raw-Zlib
[ -z "${WD_TEST_LONG:-}" ] ||
	PYTHON="$PYTHON test_zipfile test_tarfile test_shutil test_zipimport" PERL="$PERL IO-Compress"

# zlib_s PROGRAM [SOURCE...]: one of zlib's programs, built as zlib's users build theirs.
zlib_s() {
	source_of zlib
	gcc -O1 -I"$SOURCE" -o "$1" "$SOURCE/test/$1.c" "${@:2}" -lz
}

# everywhere COMMAND...: with the distribution's zlib, and with the library, with and without devices. The output is the
# same.
everywhere() {
	stock "$@" >out.stock 2>&1 || { cat out.stock; return 1; }
	on_none host "$@" >out.none 2>&1 || { cat out.none; return 1; }
	on_devices host -- "$@" >out.devices 2>&1 || { cat out.devices; return 1; }
	same out.stock out.none
	same out.stock out.devices
}

test_example() {
	zlib_s example
	everywhere ./example
	did_at_least 3 deflate_streams example
}

# It knows the structure that zlib keeps of a stream, and changes it: the library leaves that to zlib.
test_infcover() {
	source_of zlib
	zlib_s infcover "$SOURCE/inftrees.c"
	everywhere ./infcover
	did_at_least 1 inflate_streams infcover
}

test_minigzip() {
	local level

	zlib_s minigzip
	big_file
	for level in 1 6; do
		cp "$BIG" file
		on_devices host -- ./minigzip -$level file
		unpacks file.gz
		on_devices host -- ./minigzip -d file.gz
		same "$BIG" file
	done
	devices_deflated $((BIG_BYTES * 2)) minigzip
	on_devices host -- ./minigzip -3 <"$BIG" | on_devices host -- ./minigzip -d | same "$BIG" -
	on_none host ./minigzip -1 <"$BIG" >one.gz
	stock ./minigzip -1 <"$BIG" | same one.gz -
}

# python NAME COMMAND...: the outcomes of Python's tests as NAME.
python() {
	# shellcheck disable=SC2086 # words
	"${@:2}" timeout 600 python3 -m test --tempdir "$PWD" --junit-xml "$1.xml" $PYTHON >"$1.log" 2>&1 || :
	outcomes "$1.xml" >"$1"
}

test_python() {
	need_also python-tests
	python without stock with_set python-tests
	[ "$(grep -c completed without)" -gt 100 ]
	python none on_none python-tests
	diff without none || { tail -n 100 none.log; return 1; }
	python devices on_devices python-tests --
	diff without devices || { tail -n 100 devices.log; return 1; }
	devices_deflated 1000000
}

# perl_suite NAME SUITE COMMAND...: the outcomes of its tests, as NAME.
perl_suite() {
	rm -rf suite
	cp -r "$SOURCE/cpan/$2" suite
	(cd suite && "${@:3}" prove -v t) >"$1.log" 2>&1 || { tail -n 30 "$1.log"; return 1; }
	# Names of tests have numbers of processes, and words in any order.
	grep -oE '^(t/.*|(not )?ok [0-9]+)' "$1.log" >"$1"
	[ "$(grep -c '^ok' "$1")" -gt 100 ]
}

# The source has the version of the release's perl.
test_perl() {
	local suite

	command -v prove >/dev/null || skip 'prove is not installed'
	source_of perl
	for suite in $PERL; do
		perl_suite without "$suite" stock
		perl_suite none "$suite" on_none host
		same without none
		perl_suite devices "$suite" on_devices host --
		same without devices
	done
}

# ruby NAME COMMAND...: Ruby's tests as NAME.log, and the names of those that fail as NAME.
ruby() {
	# shellcheck disable=SC2016 # for the shell there
	local run='cd "$WARPDRIVE_PROGRAMS/usr/lib" && export RUBYLIB
		RUBYLIB=$(echo $PWD/ruby/[0-9]* $PWD/*/ruby/[0-9]*)
		RUBYLIB=${RUBYLIB// /:} && cd "$2" && exec ruby -W0 "$1/test/runner.rb" -v "$1/test/zlib/test_zlib.rb"'

	"${@:2}" bash -c "$run" bash "$SOURCE" "$PWD" >"$1.log" 2>&1 || :
	awk '/^ +[0-9]+\) (Failure|Error):/ { getline; print $1 }' "$1.log" | sort >"$1"
	grep -qE '^[0-9]{2,} tests, [0-9]{3,} assertions' "$1.log" || { tail -n 30 "$1.log"; return 1; }
}

# differs FILE: what fails is in the list, and what always fails has failed.
differs() {
	grep -v '^#' "$DIFFERS" | cut -d' ' -f1 | sort >listed
	awk '$2 == "always" { print $1 }' "$DIFFERS" | sort >always
	[ -z "$(comm -23 "$1" listed)" ] && [ -z "$(comm -13 "$1" always)" ] && return
	echo 'failed:'
	cat "$1" "$1.log"
	return 1
}

# The source has the version of the release's ruby.
test_ruby() {
	local how

	need_also ruby
	source_of "ruby$(with_set ruby ruby --disable-gems -e 'print RUBY_VERSION[/\d+\.\d+/]')"
	ruby without stock with_set ruby
	same without /dev/null
	ruby none on_none ruby
	same none /dev/null
	ruby devices on_devices ruby --
	differs devices
	devices_deflated 1000000
	WD_ZLIB_INFLATE=stream ruby streams on_devices ruby --
	differs streams
	for how in fail corrupt; do
		ruby $how on_devices ruby --fault $how=1/10 --
		differs $how
	done
	did_at_least 1 wrong
}

run_tests "$@"
