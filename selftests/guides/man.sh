#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The overview pages: wd(7) names every function, warpdrive(7) every page, warpdrive-provider(7) every key; all are
# installed.

. "$(dirname "$0")/../include/tap.sh"

PAGES=$TOP/docs/man
PROVIDER=$TOP/user/openssl
CONFIG=$PROVIDER/core/config.c
ALGS=$TOP/user/shared/openssl_algs.c

# The page without markup that only changes the font.
plain() {
	sed 's/\\f[A-Z]//g; s/\\-/-/g; s/\\e/\\/g' "$PAGES/$1"
}

# The functions that public headers declare; functions that each class has get one name.
functions() {
	sed -E 's|/\*.*\*/||; /^[ ]?\*|^\/\*/d' "$TOP"/user/*/include/*.h "$TOP"/user/algs/*/include/*.h |
		grep -oE \
		'^[a-z][a-zA-Z_0-9 ]*[ *]((wd|hisi_qm|icp_sal)_[a-zA-Z0-9_]+)\(|^CpaStatus icp_sal_[a-zA-Z]+\(' |
		grep -oE '[a-zA-Z0-9_]+\($' | tr -d '(' | grep -vE '^wd_alg_.*_cb_t$' | sort -u
}

test_wd_names_every_function() {
	local name family missing=0

	functions >all
	[ "$(wc -l <all)" -gt 150 ]
	plain wd.7 >page
	while read -r name; do
		family=$(sed -E 's/^wd_(comp|cipher|digest|aead|rsa|dh|ecc)_/wd_ALG_/' <<<"$name")
		grep -qE "\b($name|$family)\(3\)" page || { echo "$name"; missing=1; }
	done <all
	[ $missing = 0 ]
}

# wd_ALG_x(3) needs only one class that has the function.
test_wd_names_no_other_function() {
	local name

	functions >all
	for name in $(plain wd.7 | grep -oE '\b(wd|hisi_qm|icp_sal)_[A-Za-z0-9_]+\(3\)' | sed 's/(3)//' | sort -u); do
		name=${name/wd_ALG_/wd_comp_}
		grep -qx "$name" all || { echo "$name"; false; }
	done
}

test_warpdrive_names_every_page_of_the_tools() {
	local page

	plain warpdrive.7 >page
	for page in "$TOP"/configfs-tools/man/*.[1-8] "$TOP"/user/tools/*/*.1 "$TOP"/user/emulator/tool/*.1; do
		page=${page##*/}
		says "${page%.*}" page
	done
}

test_wd_has_every_variable_of_the_libraries() {
	local name

	plain wd.7 >page
	for name in $(sed -n '/^## Libraries/,/^## Tools/s/^- `\([A-Z_]*\)`$/\1/p' "$TOP/docs/guide/environment.md"); do
		says ".B $name" page
	done
}

# words TABLE: the words that a key of the provider takes.
words() {
	sed -n "/$1\[\] = {/,/NULL/s/{ \"/\n\"/gp" "$CONFIG" | sed -n 's/^"\([a-z]*\)".*/\1/p'
}

test_the_provider_s_page_has_every_key_and_value() {
	local key variable word

	plain warpdrive-provider.7 >page
	sed -n 's/^\t{ "\([a-z_]*\)", "\(WD_OPENSSL_[A-Z_]*\)".*/\1 \2/p' "$CONFIG" >keys
	[ "$(wc -l <keys)" -ge 9 ]
	while read -r key variable; do
		grep -q "^\.BR $key \" (" page || { echo "no key $key"; false; }
		says "$variable" page
	done <keys
	sed -n '/^\.SH KEYS/,/^\.SH A/s/^\.BR \([a-z_]*\) " (.*/\1/p' page | sort | diff - <(cut -d' ' -f1 keys | sort)
	for word in $(words devices) $(words yes_no) $(words checks) $(words logs); do
		grep -qE "^\.BR? $word\b" page || { echo "no value $word"; false; }
	done
}

test_the_provider_s_page_has_every_algorithm_curve_and_parameter() {
	local name

	plain warpdrive-provider.7 >page
	sed -n '/^\.SH ALG/,/^\.SH P/p' page >algorithms
	sed -n 's/^\t\[WDP_[A-Z0-9_]*\] = { "\([a-z0-9-]*\)", .*/\1/p' "$ALGS" >names
	[ "$(wc -l <names)" -ge 23 ]
	while read -r name; do
		grep -qE "^\.BR? $name( |$)" algorithms || { echo "no algorithm $name"; false; }
	done <names
	for name in $(sed -n 's/^\t\[WDP_.*"\([a-z]\+\)", [a-z]* },/\1/p' "$ALGS" | sort -u); do
		says ".SS $name" page
	done
	sed -n 's/^\t\(NIST("[^"]*", "\|EC("\|EC("brainpool\)\([^"]*\)",.*/\2/p' "$PROVIDER/key/curve.c" >curves
	[ "$(wc -l <curves)" -ge 12 ]
	while read -r name; do
		says "${name#brainpool}" page
	done <curves
	cat "$PROVIDER"/*/*.[ch] | grep -oE '"warpdrive-(requests|fallbacks|bad|path)[a-z-]*"' | sort -u |
		tr -d '"' >parameters
	[ "$(wc -l <parameters)" = 6 ]
	while read -r name; do
		says "$name" page
	done <parameters
}

# The configuration in the synopsis, and the program among the examples.
test_the_provider_s_page_works() {
	plain warpdrive-provider.7 | sed -n '/^\.SH SYN/,/^\.SH D/p' | sed -n '/^\.EX/,/^\.EE/{/^\./!p}' >conf
	plain warpdrive-provider.7 | sed -n '/^#include <inttypes/,/^}/p' >example.c
	[ -e "$OUT/ossl-modules/warpdrive.so" ] || skip 'the provider was left out'
	cc -Wall -Wextra -Werror example.c -o example $(pkg-config --cflags --libs libcrypto)
	export OPENSSL_CONF=$PWD/conf OPENSSL_MODULES=$OUT/ossl-modules
	wd-emulate --hpre 1 -- ./example >got
	says 'path sim, 2 requests' got
}

test_the_provider_s_page_has_commands_that_work() {
	command -v openssl >/dev/null || skip 'openssl is not installed'
	[ -e "$OUT/ossl-modules/warpdrive.so" ] || skip 'the provider was left out'
	plain warpdrive-provider.7 | sed -n '/^\.SH EX/,/^A program/p' | sed -n '/^\.EX/,/^\.EE/{/^\./!p}' >script
	[ "$(wc -l <script)" -ge 5 ]
	bash -euo pipefail script >got 2>&1 || { cat got; false; }
	says 'WarpDrive provider' got
	says '253 bits ecdh (X25519)' got
}

test_all_are_found_by_the_name_of_the_system() {
	local page

	for page in "$PAGES"/*.7; do
		sed -n '/^\.SH NAME/{n;p}' "$page" | grep -q WarpDrive
	done
}

test_all_are_installed_and_removed() {
	quiet_make -C "$PAGES" install DESTDIR="$PWD" PREFIX=/usr
	same usr/share/man/man7/wd.7 "$PAGES/wd.7"
	same usr/share/man/man7/warpdrive.7 "$PAGES/warpdrive.7"
	same usr/share/man/man7/warpdrive-provider.7 "$PAGES/warpdrive-provider.7"
	quiet_make -C "$PAGES" uninstall DESTDIR="$PWD" PREFIX=/usr
	absent usr/share/man/man7/wd.7
}

# The example is a complete program.
test_the_example_of_wd_works() {
	local libs='-lwd_comp -lwd' include=()

	for dir in "$TOP"/user/*/include "$TOP"/user/algs/*/include "$TOP/include/uapi"; do
		include+=(-I"$dir")
	done
	plain wd.7 | sed -n '/^\.EX/,/^\.EE/p' | grep -v '^\.E[XE]' >example.c
	cc -Wall -Wextra -Werror "${include[@]}" example.c -o example -L"$OUT/lib" -Wl,-rpath,"$OUT/lib" $libs
	./example >got
	says 'path soft' got
	wd-emulate -- ./example >got
	says 'path sim' got
}

test_mandoc_has_nothing_to_say() {
	command -v mandoc >/dev/null || skip 'mandoc is not installed'
	mandoc -T lint "$PAGES"/*.7
}

run_tests "$@"
