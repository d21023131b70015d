#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Python's own tests of TLS, digests and HMAC have the same outcomes with devices as without the provider.
# WD_TEST_LONG=1: those of python-cryptography, too, from Debian's source package, for some ten minutes.

. "$(dirname "$0")/tls.inc.sh"
. "$(dirname "$0")/../include/outcomes.sh"
need_kept_set python-tests
TESTS='test_ssl test_hashlib test_hmac'
# It expects that no other thread opens a file while it closes a socket. An emulated device's threads do.
NOT_WITH_THREADS=test_makefile_close

# python NAME COMMAND...: the outcomes of Python's tests as NAME.
python() {
	"${@:2}" python3 -m test --tempdir "$PWD" --junit-xml "$1.xml" -i "$NOT_WITH_THREADS" $TESTS >"$1.log" 2>&1 || :
	outcomes "$1.xml" >"$1"
}

# without NAME: as NAME, once for this script.
without() {
	[ -e "$WORK/without" ] || {
		python without stock with_set python-tests timeout 250
		cp without "$WORK/"
	}
	[ "$(grep -c completed "$WORK/without")" -gt 200 ]
}

# same_with OPTION... -- LINE...: with these devices and lines of the configuration the outcomes are those without.
same_with() {
	local devices=()

	while [ "$1" != -- ]; do
		devices+=("$1")
		shift
	done
	conf "${@:2}"
	without
	python with provided with_set python-tests timeout 250 wd-emulate --stats stats "${devices[@]}" --
	diff "$WORK/without" with || { tail -n 100 with.log; return 1; }
}

test_pkey() {
	[ -n "${WD_TEST_LONG:-}" ] || skip 'only with WD_TEST_LONG=1; the other test does as much'
	same_with --hpre 1 -- 'fallback = no'
	busy stats hpre
}

# The keys' algorithms, and digests and random numbers of any size.
test_all() {
	same_with --hpre 1 --sec 1 -- 'algorithms = pkey ciphers digests rsa-public' 'min_bytes = 1' 'fallback = no'
	busy stats hpre
	busy stats sec
}

# suite NAME COMMAND...: the outcomes of python-cryptography's tests as NAME.
suite() {
	PYTHONDONTWRITEBYTECODE=1 "${@:2}" python3 -m pytest -q -p no:cacheprovider --junit-xml="$1.xml" \
		--ignore tests/bench --ignore tests/hypothesis --ignore tests/wycheproof $SUITES >"$1.log" 2>&1 || :
	[ -e "$1.xml" ] || { tail -n 20 "$1.log"; return 1; }
	outcomes "$1.xml" >"$1"
}
SUITES=tests

# Its own settings want modules that measure.
test_cryptography() {
	[ -n "${WD_TEST_LONG:-}" ] || skip 'only with WD_TEST_LONG=1'
	cp -r "$("$TOP/scripts/programs" --source python-cryptography)/tests" .
	printf '%s\n' '[pytest]' 'markers =' ' skip_fips: of its own' ' supported: of its own' >pytest.ini
	conf 'fallback = no' "module = $OPENSSL_MODULES/warpdrive.so"
	# It wants the module legacy.so as well.
	unset OPENSSL_MODULES
	suite without stock with_set pytest
	[ "$(grep -c completed without)" -gt 200 ]
	suite with provided with_set pytest wd-emulate --stats stats --hpre 1 --
	diff without with || { tail -n 100 with.log; return 1; }
	busy stats hpre
}

run_tests "$@"
