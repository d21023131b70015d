#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# wdctl export openssl writes a configuration that works, and wdctl doctor finds what is wrong with one.

. "$(dirname "$0")/../include/tap.sh"

for program in openssl wd-emulate wdctl; do
	command -v $program >/dev/null || {
		echo "1..0 # SKIP $program is not there"
		exit 4
	}
done
[ -e "$OUT/ossl-modules/warpdrive.so" ] || {
	echo '1..0 # SKIP the provider was left out'
	exit 4
}
unset OPENSSL_MODULES OPENSSL_CONF

with_device() { OPENSSL_CONF=$PWD/conf wd-emulate --hpre 1 -- openssl "$@"; }

# offered COMMAND KIND: the names of what the provider offers.
offered() { "$1" list "-$2-algorithms" | grep '@ warpdrive' || true; }

exported() { wdctl export openssl "$@" >conf 2>err; }

test_the_exported_configuration_works() {
	exported
	[ ! -s err ]
	with_device list -providers -verbose >got
	says 'name: WarpDrive provider' got
	says 'name: OpenSSL Default Provider' got
	offered with_device signature >got
	says ECDSA got
	exported --algorithms 'pkey, -ecdsa -ecdh'
	offered with_device signature >got
	says RSA got
	not grep -q ECDSA got
}

# A path that has all that libcrypto's configuration would take for something else.
test_the_exported_configuration_names_a_module_that_is_elsewhere() {
	local place=$PWD/'a $b #1'

	mkdir -p "$place/bin" "$place/lib/ossl-modules"
	cp "$OUT/bin/wdctl" "$place/bin/"
	cp "$OUT"/ossl-modules/warpdrive{,-devices}.so "$place/lib/ossl-modules/"
	PATH=$place/bin:$PATH exported
	grep -q ^module conf || skip "the provider is in libcrypto's folder"
	LD_LIBRARY_PATH=$OUT/lib with_device list -providers >got
	says 'WarpDrive provider' got
	rm -r "$place/lib"
	PATH=$place/bin:$PATH exported
	says "warpdrive.so is neither in libcrypto's folder" err
	not grep -q ^module conf
}

# one_line FILE: with the parts of texts put together.
one_line() { tr -d '\\' <"$1" | tr -s '\n\t ' ' ' | sed 's/" "//g'; }

test_the_export_takes_the_algorithms_of_the_provider() {
	local name list

	exits 2 wdctl export openssl --algorithms 'rsa des' 2>err
	says "not 'des'" err
	exits 2 wdctl export openssl --algorithms 'rsa -' 2>err
	says "not '-'" err
	exits 2 wdctl export openssl --algorithms 'aes-ctr,-ciphers' 2>err
	says "'aes-ctr,-ciphers': nothing is left" err
	exits 2 wdctl export openssl --algorithms 'rsa,-rsa' 2>err
	says "'rsa,-rsa': nothing is left" err
	exits 2 wdctl export openssl --algorithms '-pkey' 2>err
	says "'-pkey': nothing is left" err
	list=$(one_line "$TOP/user/shared/openssl_algs.h" | sed -n 's/.*"some of \(all[^"]*\), and -NAME.*/\1/p')
	[ -n "$list" ]
	one_line "$TOP/configfs-tools/completion/wdctl" >completion
	says "compgen -W \"${list//,/}\"" completion
	for name in ${list//,/}; do
		wdctl export openssl --algorithms "$name" >got 2>/dev/null
		says "algorithms = $name" got
	done
	exported --algorithms '-rsa'
	says 'algorithms = -rsa' conf
	offered with_device signature >got
	says ECDSA got
	not grep -q RSA got
}

# findings [OPTION...]: what doctor says about the configuration conf, as STATE TEXT REMEDY; wd-emulate has the options.
findings() {
	{ OPENSSL_CONF=$PWD/conf wd-emulate "$@" -- wdctl doctor --json || [ $? = 1 ]; } | python3 -c '
import json, sys
for f in json.load(sys.stdin)["findings"]:
    if f["area"] == "openssl":
        print(f["state"], f["text"], f["remedy"])
        assert (f["remedy"] is None) == (f["state"] == "ok"), f' >got
}

# changed SED TEXT REMEDY: doctor has this finding about the exported configuration with that change.
changed() {
	exported
	sed -i "$1" conf
	findings --hpre 1
	says "$2" got
	grep -F -- "$2" got | grep -qF -- "$3" || {
		echo "expected '$3' behind '$2' in:"
		cat got
		return 1
	}
}

test_doctor_has_no_problem_with_the_exported_configuration() {
	exported
	findings --hpre 1
	[ "$(grep -c '^ok ' got)" = 3 ]
	not grep -v '^ok ' got
	says "hisi_hpre-0 computes with public keys for the provider" got
}

test_says_what_is_left_to_the_cpu_by_default() {
	exported
	says 'P-256 and X25519 in asynchronous jobs only' conf
	findings --hpre 1
	says 'for the provider, P-256 and X25519 in asynchronous jobs only' got
	exported --algorithms '-dh'
	findings --hpre 1
	says 'for the provider, P-256 and X25519 in asynchronous jobs only' got
	exported --algorithms pkey
	not grep -q 'jobs only' conf
	findings --hpre 1
	not grep -q 'jobs only' got
}

test_doctor_looks_for_a_device_with_public_keys() {
	exported
	findings --zip 1
	says "problem no device computes with public keys, so libcrypto does wdctl load --sim hpre" got
	[ "$(grep -c '^problem ' got)" = 1 ]
	findings --sec 1
	says 'problem no device computes with public keys, so libcrypto does; ' got
	says 'so libcrypto does; hisi_sec2-0 computes ciphers and digests, which' got
	[ "$(grep -c '^problem ' got)" = 1 ]
}

# SEC has something to do only if the key algorithms names it.
test_doctor_looks_for_devices_for_what_the_configuration_names() {
	exported --algorithms 'aes-gcm hmac'
	findings --sec 1
	[ "$(grep -c '^ok ' got)" = 3 ]
	not grep -v '^ok ' got
	says 'hisi_sec2-0 computes ciphers and digests for the provider' got
	findings --hpre 1
	says 'problem no device computes ciphers and digests, so libcrypto does; ' got
	says 'so libcrypto does; hisi_hpre-0 computes with public keys, which' got
	says 'wdctl load --sim sec' got
	exported --algorithms 'pkey rsa-public sha2'
	findings --sec 1 --hpre 1
	[ "$(grep -c '^ok ' got)" = 4 ]
	findings --hpre 1
	says 'problem no device computes ciphers and digests, so libcrypto does wdctl load --sim sec' got
	export WD_OPENSSL_ALGORITHMS='all -rsa'
	findings --hpre 1
	says 'problem no device computes ciphers and digests, so libcrypto does wdctl load --sim sec' got
	export WD_OPENSSL_ALGORITHMS='pkey ciphers -ciphers'
	findings --hpre 1
	[ "$(grep -c '^ok ' got)" = 3 ]
	not grep -v '^ok ' got
}

test_doctor_reads_the_configuration() {
	changed 's/?provider/provider/' \
		"problem $PWD/conf: default_properties = provider=warpdrive,?warpdrive.device=yes lacks" \
		"= ?provider=warpdrive,?warpdrive.device=yes'"
	changed 's/,?warp/,warp/' \
		"problem $PWD/conf: default_properties = ?provider=warpdrive,warpdrive.device=yes lacks" \
		"= ?provider=warpdrive,?warpdrive.device=yes'"
	changed '/^default_properties/d' "note $PWD/conf: doesn't prefer" \
		"'default_properties = ?provider=warpdrive,?warpdrive.device=yes'"
	changed 's/^default = .*//' "problem $PWD/conf: activates no provider but warpdrive" 'Name the provider default'
	changed '/^\[warpdrive_section/,$s/^activate.*//' \
		"problem $PWD/conf: names the provider warpdrive, but doesn't" \
		"'activate = 1' to the section [warpdrive_section]"
	changed 's/^warpdrive = .*//' "note " "'wdctl export openssl'"
	changed '$atimeout_ms = 0' "problem $PWD/conf: libcrypto doesn't load the provider" \
		'section [warpdrive_section]'
	changed 's/^\[default.*/[/' "problem $PWD/conf: libcrypto can't read it, from line" 'Correct the file'
}

# An included file, and one that isn't there.
test_doctor_reads_what_libcrypto_reads() {
	exported
	mv conf included
	echo ".include $PWD/included" >conf
	findings --hpre 1
	[ "$(grep -c '^ok ' got)" = 3 ]
	rm conf
	findings --hpre 1
	[ "$(grep -c '^note ' got)" = 1 ]
}

test_doctor_looks_for_the_module() {
	exported
	grep -q ^module conf || skip "the provider is in libcrypto's folder"
	changed 's/^module.*/module = \/nowhere\/warpdrive.so/' 'but there is no /nowhere/warpdrive.so' \
		"'module = $(realpath "$OUT/ossl-modules/warpdrive.so")' to the section [warpdrive_section]"
	says problem got
	echo 'not a module' >warpdrive.so
	changed "s,^module.*,module = $PWD/warpdrive.so," "problem $PWD/warpdrive.so can't be loaded: " \
		'make install-user'
	cp "$OUT/ossl-modules/warpdrive.so" .
	changed "s,^module.*,module = $PWD/warpdrive.so," "problem $PWD/warpdrive-devices.so can't be loaded: " \
		'make install-user'
	ln -sf "$OUT/ossl-modules/warpdrive.so" .
	findings --hpre 1
	[ "$(grep -c '^ok ' got)" = 3 ]
	exported
	sed -i '/^module/d' conf
	OPENSSL_MODULES=$OUT/ossl-modules findings --hpre 1
	[ "$(grep -c '^ok ' got)" = 3 ]
}

# A machine without any of it has no problem with that.
test_doctor_only_notes_that_the_provider_is_not_used() {
	: >conf
	OPENSSL_MODULES=$PWD findings --hpre 1
	[ "$(wc -l <got)" = 1 ]
	says "note the provider isn't in libcrypto's folder: there is no $PWD/warpdrive.so" got
	OPENSSL_MODULES=$OUT/ossl-modules findings --hpre 1
	says "note $PWD/conf: doesn't name the provider warpdrive" got
}

run_tests "$@"
