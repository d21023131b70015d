#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# OpenSSL's own evp_test with its vectors, some 8,000, has the same outcomes with devices as without the provider. It is
# compiled from Debian's source package, and linked with this host's libcrypto.

. "$(dirname "$0")/tls.inc.sh"
[ -n "${WD_TEST_LONG:-}" ] || not_here 'takes minutes: only with WD_TEST_LONG=1'
[ -e "$OPENSSL_MODULES/warpdrive.so" ] || not_here 'the provider was left out of the build'
CC=${CC:-cc}
command -v "$CC" >/dev/null || not_here "$CC is not installed"
# The vectors want the module legacy.so as well.
MODULE=$OPENSSL_MODULES/warpdrive.so
unset OPENSSL_MODULES

# evp_test: once for this script. Of the source's headers it uses those that OpenSSL doesn't install.
make_evp_test() {
	local source

	[ ! -e "$WORK/evp_test" ] || return 0
	source=$("$TOP/scripts/programs" --source openssl)
	mkdir inside objects
	ln -s "$source/include/internal" "$source/include/crypto" inside/
	flags=(-O1 -w -I"$PWD/inside" -I"$source" -I"$source/test" -I"$source/apps/include")
	(cd objects && "$CC" -c "${flags[@]}" "$source"/test/testutil/*.c "$source/apps/lib/opt.c")
	ar rcs library.a objects/*.o
	"$CC" "${flags[@]}" "$source/test/evp_test.c" library.a -o "$WORK/evp_test" -lcrypto
	cp "$source"/test/recipes/30-test_evp_data/*.txt "$WORK/"
	run_evp_test stock "$source/test/default-and-legacy.cnf"
	cp stock "$WORK/"
	[ "$(wc -l <stock)" -gt 50 ]
}

# run_evp_test NAME CONF [COMMAND]...: the outcome of each file of vectors as NAME.
run_evp_test() {
	OPENSSL_CONF=/dev/null "${@:3}" "$WORK/evp_test" -config "$2" "$WORK"/*.txt >"$1.log" 2>&1 || :
	sed -n 's/^ *# *Reading .*\/\|^ *# Completed/&/p' "$1.log" | sed 's/.*\///' >"$1"
}

# same_with LINE...: with these lines of the configuration.
same_with() {
	make_evp_test
	conf 'devices = require' "module = $MODULE" "$@"
	sed -i 's/^warpdrive = .*/&\nlegacy = legacy_section/' conf
	printf '%s\n' '[legacy_section]' 'activate = 1' >>conf
	run_evp_test ours conf wd-emulate --stats stats --hpre 1 --sec 1 --
	diff "$WORK/stock" ours || { grep -B 5 -A 5 'unexpected error' ours.log; return 1; }
	busy stats hpre
}

test_pkey() { same_with 'algorithms = pkey rsa-public'; }

test_all() {
	same_with 'algorithms = pkey ciphers digests rsa-public' 'min_bytes = 1'
	busy stats sec
}

run_tests "$@"
