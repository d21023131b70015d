#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A user who follows the guides and the README on a machine without accelerators succeeds.

. "$(dirname "$0")/guides.inc.sh"

test_every_block_says_where_it_runs() {
	local file wrong=0

	for file in "$TOP"/README.md "$TOP"/docs/guide/*.md; do
		python3 "$BLOCKS" check "$file" || wrong=1
	done
	[ $wrong = 0 ]
}

test_a_block_without_a_mark_is_found() {
	printf '```sh\ntrue\n```\n' >a.md
	exits 1 python3 "$BLOCKS" check a.md
	printf '```sh host\nif true\n```\n' >a.md
	exits 1 python3 "$BLOCKS" check a.md
	printf '```sh syntax:\ntrue\n```\n' >a.md
	exits 1 python3 "$BLOCKS" check a.md
	printf '```c\nint a;\n```\n' >a.md
	exits 1 python3 "$BLOCKS" check a.md
	printf '```sh host\ntrue\n```\n' >a.md
	python3 "$BLOCKS" check a.md
}

# Each link leads to an existing file.
test_links_of_the_documents_lead_somewhere() {
	local file link wrong=0

	for file in "$TOP"/README.md "$TOP"/docs/*.md "$TOP"/docs/guide/*.md "$TOP"/docs/examples/README.md; do
		while read -r link; do
			[ -e "${file%/*}/$link" ] || { echo "$file: $link"; wrong=1; }
		done < <(grep -oE '\]\([^)#:]+(#[^)]*)?\)' "$file" | sed 's/^](//; s/[#)].*//')
	done
	[ $wrong = 0 ]
}

# in_index README: the README has a line for every file beside it.
in_index() {
	local file

	for file in "${1%/*}"/*; do
		file=${file##*/}
		[ "$file" = README.md ] || [ "$file" = Makefile ] || says "($file" "$1"
	done
}

test_the_indexes_name_every_file() {
	in_index "$TOP/docs/README.md"
	in_index "$TOP/docs/examples/README.md"
}

test_readme() { follow host README.md; }
test_first_steps() { follow host docs/guide/first-steps.md; }
test_program() { follow host docs/guide/program.md; }
test_hardware() { follow host docs/guide/hardware.md; }

openssl_there() {
	[ -e "$BUILD/user/ossl-modules/warpdrive.so" ] || skip 'the provider was left out'
	command -v openssl >/dev/null || skip 'openssl is not installed'
}

# With an emulated device, and an nginx that needs no folder of the system. wdctl can't load modules here, nor list
# queues.
openssl_here() {
	openssl_there
	timeout 300 "$TOP/scripts/programs" web >/dev/null 2>why </dev/null || skip "$(tail -n 1 why)"
	place
	export PATH=$BUILD/user/bin:$PATH
	python3 "$BLOCKS" script vm "$TOP/docs/guide/openssl.md" | sed 's/^user .*/user root;/
		s/^http {/&client_body_temp_path t; proxy_temp_path t; fastcgi_temp_path t; uwsgi_temp_path t;/
		s/^http {/&scgi_temp_path t;/' >script
	wdctl() {
		[ "$1" = load ] || [ "$1" = ctx ] || command wdctl "$@"
	}
	export -f wdctl
	trap 'kill $(cat home/tls/nginx.pid) 2>/dev/null || :' EXIT
}

# The programs of the guide's blocks, with an emulated device. nginx needs no folder of the system, and gives its
# workers the device's variables; another user would not see it.
zlib_here() {
	[ -e "$BUILD/user/lib/warpdrive/zlib/libz.so.1" ] || skip 'the replacement of zlib was left out'
	for set in web git-tools; do
		timeout 300 "$TOP/scripts/programs" $set >/dev/null 2>why </dev/null || skip "$(tail -n 1 why)"
	done
	unset SOURCE_DATE_EPOCH
	place
	export PATH=$BUILD/user/bin:$PATH GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null TMPDIR=$PWD
	python3 "$BLOCKS" script vm "$TOP/docs/guide/zlib.md" |
		sed 's/^user .*/user root; env WD_EMULATE; env WD_EMULATE_ROOT;/
		s/^http {/&client_body_temp_path t; proxy_temp_path t; fastcgi_temp_path t; uwsgi_temp_path t;/
		s/^http {/&scgi_temp_path t;/' >script
	wdctl() {
		[ "$1" = load ] || command wdctl "$@"
	}
	export -f wdctl
	trap 'kill $(cat tmp.*/nginx.pid) 2>/dev/null || :' EXIT
}

test_zlib() {
	local size

	zlib_here
	"$TOP/scripts/programs" git-tools -- "$TOP/scripts/programs" web -- wd-emulate --zip 1 -- bash script \
		>got 2>err || {
		cat got err
		false
	}
	says 'no problems' got
	size=$(stat -c %s tmp.*/repo/data)
	# Once when it was added, and once when it was packed.
	[ "$(bytes_of git tmp.*/counts)" -ge $((2 * size)) ]
	[ "$(bytes_of pigz tmp.*/counts)" -ge "$size" ]
	[ "$(bytes_of nginx tmp.*/nginx.counts)" -ge "$size" ]
}

test_zlib_by_hand() {
	[ -e "$BUILD/user/lib/warpdrive/zlib/libz.so.1" ] || skip 'the replacement of zlib was left out'
	follow host docs/guide/zlib.md
}

test_zstd() {
	local program

	for program in zstd lz4 rsync; do
		command -v $program >/dev/null || skip "$program is not installed"
	done
	unset SOURCE_DATE_EPOCH
	follow host docs/guide/zstd.md
}

with_web() { "$TOP/scripts/programs" web -- "$@"; }

# serves OPTION...: whether nginx, on such a device and with nothing in place of it, answers a client that has none. The
# device lasts as long as the shell, which nginx's daemon doesn't.
serves() {
	local code=0 tls=$PWD/home/tls

	WD_OPENSSL_FALLBACK=no with_web wd-emulate --hpre 1 "$@" -- bash -ec '
		cd "$1"
		OPENSSL_CONF=$1/warpdrive.cnf nginx -p "$1" -c nginx.conf
		OPENSSL_CONF=/dev/null curl -sS --cacert cert.pem https://localhost:8443/' bash "$tls" >got || code=$?
	kill "$(cat "$tls/nginx.pid")"
	until_true 10 absent "$tls/nginx.pid" >/dev/null
	return $code
}

# When the device fails, so does the handshake: the device has a part in it.
test_openssl() {
	openssl_here
	with_web wd-emulate --hpre 1 -- bash script >got
	says hello got
	until_true 10 absent home/tls/nginx.pid >/dev/null
	serves
	says hello got
	exits 35 serves --fault fail=1000000
}

test_openssl_measured() {
	openssl_there
	follow host docs/guide/openssl.md >got
	[ "$(grep -c '^openssl.async64' got)" = 2 ]
}

test_environment() { follow host docs/guide/environment.md; }

run_tests "$@"
