#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The openssl command with the provider in its configuration: with and without a device, and with values that can't be.
# WD_TEST_LONG=1: speed with four processes runs 200 times.

. "$(dirname "$0")/../include/tap.sh"
. "$(dirname "$0")/../include/openssl_conf.sh"

for program in openssl wd-emulate; do
	command -v $program >/dev/null || {
		echo "1..0 # SKIP $program is not there"
		exit 4
	}
done
export OPENSSL_MODULES=$OUT/ossl-modules

without_device() { OPENSSL_CONF=$PWD/conf openssl "$@"; }
with_device() { OPENSSL_CONF=$PWD/conf wd-emulate --hpre 1 -- openssl "$@"; }
with_sec() { OPENSSL_CONF=$PWD/conf wd-emulate --sec 1 -- openssl "$@"; }
stock() { OPENSSL_CONF=/dev/null openssl "$@"; }

# offered COMMAND KIND: the names of what the provider offers.
offered() { "$1" list "-$2-algorithms" | grep '@ warpdrive' || true; }

test_with_a_device_its_algorithms_are_offered() {
	openssl_conf
	offered with_device signature >signatures
	says 'RSA' signatures
	says 'ECDSA' signatures
	offered with_device key-exchange >exchanges
	says X25519 exchanges
	says ECDH exchanges
	with_device list -providers | grep -A3 warpdrive >got
	says 'status: active' got
}

test_without_a_device_nothing_is_offered() {
	local kind

	openssl_conf
	for kind in signature key-exchange asymcipher; do
		offered without_device "$kind" >>got
	done
	[ ! -s got ]
	without_device list -providers | grep -A3 warpdrive >got
	says 'status: active' got
}

test_without_a_device_later_offers_nevertheless() {
	openssl_conf 'devices = later'
	offered without_device signature >got
	says RSA got
}

test_algorithms_choose_what_is_offered() {
	openssl_conf 'algorithms = rsa, x25519'
	offered with_device key-exchange >got
	says X25519 got
	not grep -q ECDH got
	offered with_device signature >got
	says RSA got
	not grep -q ECDSA got
	openssl_conf 'algorithms = pkey -rsa -dh'
	offered with_device signature >got
	says ECDSA got
	not grep -q RSA got
}

# A list that begins with it takes away from pkey.
test_what_is_taken_away_first_is_taken_from_the_default() {
	openssl_conf 'algorithms = -dh, -rsa'
	offered with_device signature >got
	says ECDSA got
	not grep -q RSA got
	offered with_device key-exchange >got
	says X25519 got
	not grep -q ' DH' got
	openssl_conf 'algorithms = -pkey ecdsa'
	offered with_device signature >got
	says ECDSA got
	not grep -q RSA got
}

# Not AES-CTR and AES-ECB, which random numbers are made with.
test_all_stands_for_keys_ciphers_and_digests() {
	local kind

	openssl_conf 'algorithms = all'
	for kind in signature cipher digest; do
		OPENSSL_CONF=$PWD/conf wd-emulate --hpre 1 --sec 1 -- openssl list "-$kind-algorithms" |
			grep '@ warpdrive' >>got
	done
	says ECDSA got
	says AES-256-CBC got
	says SHA2-256 got
	not grep -qE 'AES-256-(CTR|ECB)' got
	openssl_conf 'algorithms = all aes-ctr'
	OPENSSL_CONF=$PWD/conf wd-emulate --hpre 1 --sec 1 -- openssl list -cipher-algorithms | grep '@ warpdrive' >got
	says AES-256-CTR got
	openssl_conf 'algorithms = rsa-public aes-ctr -all sm2'
	offered with_device signature >got
	says SM2 got
	not grep -q RSA got
}

test_ciphers_are_offered_on_request() {
	openssl_conf 'algorithms = pkey ciphers'
	OPENSSL_CONF=$PWD/conf wd-emulate --hpre 1 --sec 1 -- openssl list -cipher-algorithms >all
	grep '@ warpdrive' all >got
	says AES-256-CBC got
	not grep -qE 'AES-256-(CTR|ECB)' got
}

# refused MESSAGE: the provider alone doesn't load, and the error says why.
refused() {
	not with_device list -providers -provider warpdrive 2>err
	says "$1" err
}

test_a_value_that_cannot_be_is_named() {
	openssl_conf
	WD_OPENSSL_DEVICES=maybe refused 'WD_OPENSSL_DEVICES = maybe: expected auto, require or later'
	WD_OPENSSL_TIMEOUT_MS=0 refused 'WD_OPENSSL_TIMEOUT_MS = 0: expected 1 to 3600000'
	WD_OPENSSL_TIMEOUT_MS=10s refused 'WD_OPENSSL_TIMEOUT_MS = 10s: expected 1 to 3600000'
	WD_OPENSSL_MIN_BYTES=0 refused 'WD_OPENSSL_MIN_BYTES = 0: expected 1 to 1073741824'
	WD_OPENSSL_ALGORITHMS='rsa des' refused 'WD_OPENSSL_ALGORITHMS = rsa des: expected some of all, pkey'
	WD_OPENSSL_ALGORITHMS='rsa -' refused 'WD_OPENSSL_ALGORITHMS = rsa -: expected'
	WD_OPENSSL_ALGORITHMS='rsa -rsa' refused 'WD_OPENSSL_ALGORITHMS = rsa -rsa: expected'
	WD_OPENSSL_ALGORITHMS='-pkey' refused 'WD_OPENSSL_ALGORITHMS = -pkey: expected'
	WD_OPENSSL_ALGORITHMS=' ,' refused 'WD_OPENSSL_ALGORITHMS =  ,: expected'
	WD_OPENSSL_SECTION='a b' refused 'WD_OPENSSL_SECTION = a b: expected 1 to 31'
	WD_OPENSSL_POLLERS=65 refused 'WD_OPENSSL_POLLERS = 65: expected counts of 1 to 64'
	WD_OPENSSL_POLLERS=1@ refused 'WD_OPENSSL_POLLERS = 1@: expected counts'
	WD_OPENSSL_FALLBACK=maybe refused 'WD_OPENSSL_FALLBACK = maybe: expected yes or no'
	WD_OPENSSL_CHECK_RESULTS=no refused \
		'WD_OPENSSL_CHECK_RESULTS = no: expected yes or all, since private results of RSA are always checked'
	WD_OPENSSL_LOG=some refused 'WD_OPENSSL_LOG = some: expected off, errors or all'
}

test_a_value_of_the_file_that_cannot_be_is_named() {
	openssl_conf 'timeout_ms = -1'
	sed -i '/warpdrive_section\]/{n;d}' conf
	refused 'timeout_ms = -1: expected 1 to 3600000'
}

# libcrypto goes on without a provider that its configuration is to activate and that doesn't load.
test_without_the_provider_libcrypto_goes_on() {
	openssl_conf 'timeout_ms = -1'
	offered with_device signature >got
	[ ! -s got ]
	with_device list -providers >got
	says default got
}

test_the_environment_comes_first() {
	openssl_conf 'algorithms = bogus'
	WD_OPENSSL_ALGORITHMS=rsa offered with_device signature >got
	says RSA got
}

test_good_values_load() {
	openssl_conf 'algorithms = pkey' 'devices = require' 'section = web' 'pollers = 1@0,2@1' 'timeout_ms = 50' \
		'fallback = no' \
		'check_results = all' 'log = off'
	offered with_device signature >got
	says RSA got
}

test_a_required_device_that_is_not_there_is_an_error() {
	openssl_conf
	not env WD_OPENSSL_DEVICES=require openssl list -providers -provider warpdrive 2>err
	says 'devices = require: no device offers any of the algorithms' err
}

# signs KEY: with a device; verified without the provider.
signs() {
	with_device dgst -sha256 -sign "$1" "${@:2}" -out sig msg
	stock pkey -in "$1" -pubout -out pub
	stock dgst -sha256 -verify pub "${@:2}" -signature sig msg
}

test_signatures() {
	openssl_conf 'fallback = no'
	echo message >msg
	with_device genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:1024 -out rsa 2>/dev/null
	with_device genpkey -algorithm EC -pkeyopt group:P-256 -out ec
	signs rsa
	signs rsa -sigopt rsa_padding_mode:pss -sigopt rsa_pss_saltlen:-1
	signs ec
}

test_certificates() {
	openssl_conf 'fallback = no'
	with_device req -x509 -newkey rsa:1024 -nodes -keyout key -subj /CN=a -out cert 2>/dev/null
	stock verify -CAfile cert cert
	with_device req -x509 -newkey ec -pkeyopt group:P-384 -nodes -keyout key -subj /CN=a -out cert 2>/dev/null
	stock verify -CAfile cert cert
}

test_secrets() {
	local type

	openssl_conf 'fallback = no'
	for type in X25519 X448; do
		with_device genpkey -algorithm $type -out a
		stock genpkey -algorithm $type -out b
		stock pkey -in a -pubout -out a.pub
		stock pkey -in b -pubout -out b.pub
		with_device pkeyutl -derive -inkey a -peerkey b.pub -out 1
		stock pkeyutl -derive -inkey b -peerkey a.pub -out 2
		cmp 1 2
	done
}

# The program compares the counters.
test_the_section_is_joined() {
	printf '[web]\n' >sections
	WD_OPENSSL_SECTION=web wd-emulate --hpre 1 --sections sections -- "$OUT/tests/openssl/test_threads" >got 2>&1
	WD_OPENSSL_SECTION=other exits 1 wd-emulate --hpre 1 --sections sections -- "$OUT/tests/openssl/test_threads" \
		>got 2>&1
	says 'taken(&self->b)' got
}

# Both providers are where libcrypto looks: the default provider has its own copy of legacy.
legacy_modules() {
	local from

	from=$(openssl version -m)
	from=${from#*\"}
	from=${from%\"*}
	[ -e "$from/legacy.so" ] || return 1
	mkdir modules
	ln -s "$from/legacy.so" "$OPENSSL_MODULES/warpdrive.so" modules
	OPENSSL_MODULES=$PWD/modules
}

test_digests_of_another_provider_in_signatures() {
	local legacy='-provider legacy -provider default'

	legacy_modules || return 0
	openssl_conf 'fallback = no'
	stock genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:1024 -out rsa 2>/dev/null
	stock genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out ec
	# shellcheck disable=SC2086 # a list of words
	{
		stock dgst $legacy -md4 -sign rsa -out 1 conf
		with_device dgst $legacy -md4 -sign rsa -out 2 conf
		cmp 1 2
		with_device dgst $legacy -whirlpool -sign ec -out 2 conf
		stock pkey -in ec -pubout -out public
		stock dgst $legacy -whirlpool -verify public -signature 2 conf
		# Without legacy the program doesn't know them.
		exits 1 with_device dgst -md4 -sign rsa -out 2 conf 2>/dev/null
	}
}

test_digests_of_another_provider_in_hmac() {
	local options='-provider legacy -provider default -digest MD4 -macopt key:secret -in conf'

	legacy_modules || return 0
	openssl_conf 'algorithms = digests' 'fallback = no' 'min_bytes = 1'
	# shellcheck disable=SC2086 # a list of words
	{
		stock mac $options HMAC >1
		with_sec mac $options HMAC >2
		cmp 1 2
	}
	exits 1 with_sec mac -digest MD4 -macopt key:secret -in conf HMAC >2 2>/dev/null
}

# The module comes into a context of the program before the configuration is read, which names it once more.
test_a_program_that_loads_the_module_by_itself() {
	openssl_conf
	OPENSSL_CONF=$PWD/conf timeout 60 wd-emulate --hpre 1 -- "$OUT/tests/openssl/test_threads" >got 2>&1
}

# Its parent collects the numbers of its children. It reports a signature that fails, and goes on.
test_speed_in_four_processes() {
	local runs=3 what=ecdsap256

	[ -z "${WD_TEST_LONG:-}" ] || { runs=200 what='ecdsap256 rsa1024 ecdhx25519'; }
	openssl_conf 'fallback = no'
	while [ $((runs--)) -gt 0 ]; do
		# shellcheck disable=SC2086 # a list of words
		OPENSSL_CONF=$PWD/conf timeout 300 wd-emulate --hpre 1 --stats stats -- \
			openssl speed -multi 4 -seconds 1 $what >got 2>err
		says '256 bits ecdsa (nistp256)' got
		not grep -iE 'error|fail' err
		not grep -q ' requests 0 ' stats
	done
}

test_only_one_symbol_is_seen() {
	local module

	for module in warpdrive warpdrive-devices; do
		[ "$(nm -D --defined-only "$OPENSSL_MODULES/$module.so" | awk '{ print $3 }')" = OSSL_provider_init ]
		objdump -p "$OPENSSL_MODULES/$module.so" >got
		not grep -q SONAME got
	done
}

# mapped COMMAND...: the names of the files that it has mapped, in the file mapped.
mapped() {
	LD_DEBUG=files "$@" list -providers >got 2>err
	sed -n 's,.*calling init: .*/,,p' err | sort -u >mapped
}

# Each program with libcrypto would load them when it starts.
test_without_a_device_no_library_of_ours_is_loaded() {
	openssl_conf
	mapped stock
	cp mapped stock.mapped
	mapped without_device
	says 'WarpDrive provider' got
	[ "$(comm -13 stock.mapped mapped)" = warpdrive.so ]
	mapped with_device
	says libwd.so mapped
	says warpdrive-devices.so mapped
}

# What is refused, offered nevertheless or said, is so with or without devices.
test_without_a_device_the_configuration_counts() {
	local line

	for line in 'devices = later' 'log = all'; do
		openssl_conf "$line"
		mapped without_device
		says warpdrive-devices.so mapped
		says 'WarpDrive provider' got
	done
	openssl_conf 'timeout_ms = -1'
	sed -i '/warpdrive_section\]/{n;d}' conf
	not without_device list -providers -provider warpdrive 2>err
	says 'timeout_ms = -1: expected 1 to 3600000' err
}

test_the_counters_are_there_without_a_device() {
	openssl_conf
	OPENSSL_CONF=$PWD/conf openssl list -providers -verbose >got
	says 'warpdrive-requests-hw: ' got
	says 'warpdrive-bad-results: ' got
}

# The program says what is wrong with its installation; libcrypto alone says nothing of it.
test_a_part_of_the_module_that_is_missing_is_named() {
	openssl_conf
	sed -i '/warpdrive_section\]/{n;d}' conf
	mkdir modules
	cp "$OPENSSL_MODULES/warpdrive.so" modules
	OPENSSL_MODULES=$PWD/modules without_device list -providers -provider warpdrive >got
	says 'WarpDrive provider' got
	OPENSSL_MODULES=$PWD/modules not with_device list -providers -provider warpdrive 2>err
	says "$PWD/modules/warpdrive-devices.so: cannot open shared object file" err
}

# The jobs of openssl speed, and what else it has allocated for a device. (For ECDSA speed itself loses a key.)
test_valgrind_misses_no_job() {
	command -v valgrind >/dev/null || skip 'valgrind is not installed'
	openssl_conf
	OPENSSL_CONF=$PWD/conf wd-emulate --hpre 1 --stats stats -- valgrind --leak-check=full \
		--suppressions="$TOP/docs/valgrind.supp" openssl speed -seconds 1 -async_jobs 4 ecdhx25519 >got 2>log
	not grep -q ' requests 0 ' stats
	says 'definitely lost: 0 bytes' log
	says 'indirectly lost: 0 bytes' log
	says 'possibly lost: 0 bytes' log
}

run_tests "$@"
