#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Modules on a stock Debian that firmware with Secure Boot has started, so that its kernel is locked down: without a
# signature, with a key that nobody trusts, and with one that the firmware trusts. Each rule is a boot of the same disk.
# Runs on demand only, with WD_TEST_LONG=1; WD_SUITES names the releases.
set -u
cd "${TOP:-$(dirname "$0")/../..}" || exit 1
. selftests/include/tap.sh
. selftests/install/stock.inc.sh

long_only 'boots machines for some minutes'
keys=$scratch/keys
snakeoil=/usr/share/ovmf/PkKek-1-snakeoil

# The key that the firmware trusts, and another one.
keys_made() {
	scripts/deps secure-boot && mkdir -p "$keys" &&
		openssl rsa -in $snakeoil.key -passin pass:snakeoil -out "$keys/trusted.key" &&
		openssl x509 -in $snakeoil.pem -outform DER -out "$keys/trusted.pub" &&
		openssl req -new -x509 -newkey rsa:2048 -nodes -days 36500 -subj '/CN=a key of nobody/' -outform DER \
			-keyout "$keys/other.key" -out "$keys/other.pub"
}

# secure COMMANDS
secure() {
	in_machine "$1" --secure-boot --with "$keys"
}

locked_down() {
	secure 'mokutil --sb-state | grep -x "SecureBoot enabled"
		grep -F "[integrity]" /sys/kernel/security/lockdown'
}

# refused INSTALL WHY: the kernel refuses what INSTALL installs, wdctl says why, and nothing stays loaded.
refused() {
	echo "$2" >"$keys/why"
	secure "$1 >/dev/null
		code=0
		wdctl load --sim zip >said 2>&1 || code=\$?
		cat said
		[ \$code = 1 ]
		grep -F -f $keys/why said
		wdctl doctor >said 2>&1 || true
		grep -F -f $keys/why said
		[ ! -e /sys/module/uacce ]"
}

unsigned() {
	local why='this kernel loads signed modules only: it is locked down (none [integrity] confidentiality)'

	refused 'make install' "it is unsigned, and $why"
}

stranger() {
	refused "make install MODULE_SIGN_KEY=$keys/other.key MODULE_SIGN_CERT=$keys/other.pub" \
		"it is signed with the key 'a key of nobody', which this kernel doesn't trust"
}

trusted() {
	secure "make install MODULE_SIGN_KEY=$keys/trusted.key MODULE_SIGN_CERT=$keys/trusted.pub
		ldconfig
		wdctl load --sim zip,sec,hpre
		WD_PATH=hw wdzip -c /usr/bin/bash | gzip -dc | cmp - /usr/bin/bash
		wdctl selftest"
}

test_that 'keys are there' keys_made
for suite in ${WD_SUITES:-bookworm trixie}; do
	test_that "modules build for $suite with the machine's headers" modules_built "$suite"
	test_that "Secure Boot locks the kernel of $suite down" locked_down
	test_that "unsigned modules are refused on $suite, and wdctl says why" unsigned
	test_that "so are those signed with an unknown key on $suite" stranger
	test_that "those signed with a trusted key load and work on $suite" trusted
	rm -f "$scratch/$suite"
done
tap_done
