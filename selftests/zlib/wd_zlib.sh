#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# wd-zlib: what a program gets from it, its exit status, and what --check finds.

. "$(dirname "$0")/../include/tap.sh"

for program in wd-emulate wd-zlib python3; do
	command -v $program >/dev/null || {
		echo "1..0 # SKIP $program is not there"
		exit 4
	}
done
SHIM=$(realpath -e "$OUT/lib/warpdrive/zlib/libz.so.1" 2>/dev/null) || {
	echo '1..0 # SKIP the replacement of zlib was left out'
	exit 4
}
# They would keep devices away, or be mixed with the tests' own.
unset SOURCE_DATE_EPOCH LD_PRELOAD ${!WD_@}

# compresses COMMAND...: which starts a Python that compresses 300000 bytes and decompresses them.
compresses() {
	"$@" python3 -c 'import zlib; d = bytes(range(250)) * 1200; assert zlib.decompress(zlib.compress(d, 6)) == d'
}

# counted FIELD FILE: of the only line.
counted() { sed -n "s/.* $1=\([0-9]*\).*/\1/p" "$2"; }

test_programs_use_the_device() {
	compresses wd-emulate --zip 1 -- wd-zlib --stats counts --
	[ "$(counted deflate_device_bytes counts)" = 300000 ]
	says 'program=python3 pid=' counts
}

# As nginx and PostgreSQL do: what ps shows of them is in the place of their arguments.
test_a_program_that_writes_over_its_name_is_known() {
	cat >title.c <<-'END'
		#include <string.h>
		#include <zlib.h>

		int main(int argc, char **argv)
		{
			unsigned char out[100];
			uLongf len = sizeof(out);

			(void)argc;
			memset(strrchr(argv[0], '/') + 1, ' ', 3);
			return compress(out, &len, (const unsigned char *)"x", 1) != Z_OK;
		}
	END
	cc -o 'a server' title.c -lz
	wd-zlib --stats counts -- './a server'
	says 'program=a_server pid=' counts
}

test_options_become_variables() {
	wd-zlib --section web --levels 2-9 --min 100k --chunk 1m --inflate stream --stats f -- env >got
	says WD_SECTION=web got
	says WD_ZLIB_LEVELS=2-9 got
	says WD_ZLIB_MIN=100k got
	says WD_ZLIB_CHUNK=1m got
	says WD_ZLIB_INFLATE=stream got
	says "WD_ZLIB_STATS=$PWD/f" got
	grep -qx "LD_PRELOAD=$SHIM" got
	WD_ZLIB_LEVELS=3-3 wd-zlib -- env >got
	says WD_ZLIB_LEVELS=3-3 got
	not grep -q WD_ZLIB_MIN got
}

test_options_have_an_effect() {
	compresses wd-emulate --zip 1 -- wd-zlib --levels 1-5 --stats none --
	[ "$(counted deflate_device_bytes none)" = 0 ]
	compresses wd-emulate --zip 1 -- wd-zlib --chunk 64k --stats small --
	[ "$(counted parts small)" = 5 ]
	compresses wd-emulate --zip 1 -- wd-zlib --chunk 1m --min 300001 --stats late --
	[ "$(counted deflate_device_bytes late)" = 0 ]
}

test_what_is_preloaded_anyway_comes_after_it() {
	LD_PRELOAD=/other/one.so wd-zlib -- env >got 2>/dev/null
	grep -qx "LD_PRELOAD=$SHIM:/other/one.so" got
	LD_PRELOAD='' wd-zlib -- env >got
	grep -qx "LD_PRELOAD=$SHIM" got
}

# The program may have another folder when it exits.
test_the_file_of_counts_is_found_from_everywhere() {
	mkdir sub
	(cd sub && wd-zlib --stats counts -- python3 -c 'import os, zlib; os.chdir("/"); zlib.compress(b"x")')
	says 'deflate_streams=1' sub/counts
	exits 125 wd-zlib --stats none/counts -- touch ran 2>err
	says 'wd-zlib: --stats none/counts: No such file or directory' err
	absent ran
	mkfifo pipe
	timeout 20 wd-zlib --stats pipe -- true
}

# The library knows the file by the folder in which the program was when it first used zlib.
test_a_relative_file_of_counts_stays_where_it_is() {
	mkdir elsewhere
	WD_ZLIB_STATS=counts LD_PRELOAD=$SHIM \
		python3 -c 'import os, zlib; zlib.compress(b"x"); os.chdir("elsewhere"); zlib.compress(b"x")'
	says 'deflate_streams=2' counts
	absent elsewhere/counts
}

# refuses TEXT OPTION...: with that message, and without running anything.
refuses() {
	exits 125 wd-zlib "${@:2}" -- touch ran 2>err
	says "wd-zlib: $1" err
	absent ran
}

test_wrong_values_are_errors() {
	local levels

	for levels in 6 0-6 6-1 1-10 1-6x ''; do
		refuses "--levels $levels: expected LOW-HIGH with levels of 1 to 9, such as 1-6" --levels "$levels"
	done
	refuses '--min 0: expected 1 to 1m' --min 0
	refuses '--min 2m: expected 1 to 1m' --min 2m
	refuses '--min 64kb: expected 1 to 1m' --min 64kb
	refuses '--chunk 63k: expected 64k to 1m' --chunk 63k
	refuses '--chunk -1: expected 64k to 1m' --chunk -1
	refuses '--inflate all: expected whole, stream or off' --inflate all
	refuses "--section '': expected the name of a section" --section ''
	refuses "--stats '': expected a file" --stats ''
	refuses "unrecognized option '--level-of'" --level-of 1
	refuses '--json: expected --check as well' --json
	refuses 'expected --check or a COMMAND, not both' --check
	exits 125 wd-zlib --min 1k 2>err
	says 'expected a COMMAND; run' err
}

# A value is good for both or for none. The library reports what it doesn't take.
test_the_library_takes_the_same_values() {
	local setting option value

	for setting in LEVELS=1-1 LEVELS=9-9 LEVELS=5-4 LEVELS=a-b MIN=1 MIN=1m MIN=1M MIN=1025k MIN=+1 MIN=1g \
		CHUNK=64k CHUNK=65535 \
		CHUNK=1048576 CHUNK=1048577 INFLATE=off INFLATE=whole INFLATE=on; do
		option=--${setting%=*} value=${setting#*=}
		{ wd-zlib "${option,,}" "$value" -- true 2>err && echo good; } >by-tool || :
		env "WD_ZLIB_$setting" LD_PRELOAD="$SHIM" python3 -c 'import zlib; zlib.compress(b"x")' 2>said
		{ [ -s said ] || echo good; } >by-library
		same by-tool by-library || { echo "$setting"; cat err said; false; }
	done
}

# A daemon closes standard error, and its number becomes that of a file.
test_the_library_writes_into_no_file_of_the_program() {
	local use='import zlib; zlib.compress(b"x")'

	WD_ZLIB_MIN=lots LD_PRELOAD="$SHIM" python3 -c "$use" 2>said
	says 'libz: WD_ZLIB_MIN=lots: expected' said
	WD_ZLIB_MIN=lots LD_PRELOAD="$SHIM" \
		python3 -c "import os; os.close(2); os.open('data', os.O_RDWR | os.O_CREAT) == 2 or os._exit(1); $use"
	same data /dev/null
}

test_the_status_is_the_program_s_or_env_s() {
	exits 7 wd-zlib -- sh -c 'exit 7'
	exits 127 wd-zlib -- ./none 2>err
	says 'wd-zlib: ./none: No such file or directory' err
	exits 127 wd-zlib -- none-at-all 2>err
	echo text >file
	exits 126 wd-zlib -- ./file 2>err
	says 'wd-zlib: ./file: Permission denied' err
	# Options of the program are its own.
	wd-zlib echo --check >got
	[ "$(cat got)" = --check ]
}

# elsewhere: an installation that the tests can change.
elsewhere() {
	mkdir -p bin lib/warpdrive/zlib
	cp "$OUT/bin/wd-zlib" bin/
	cp -a "$OUT"/lib/lib{wd,hisi_qm,wd_comp}.so* lib/
	cp "$SHIM" lib/warpdrive/zlib/
}

test_it_finds_the_file_of_its_own_installation() {
	elsewhere
	bin/wd-zlib -- env >got
	grep -qx "LD_PRELOAD=$PWD/lib/warpdrive/zlib/libz.so.1" got
	ln -s "$PWD/bin/wd-zlib" link
	grep -qx "LD_PRELOAD=$PWD/lib/warpdrive/zlib/libz.so.1" <(./link -- env)
	# The folders of distributions.
	mkdir -p "lib/$(cc -print-multiarch)"
	mv lib/warpdrive "lib/$(cc -print-multiarch)/"
	grep -qx "LD_PRELOAD=$PWD/lib/$(cc -print-multiarch)/warpdrive/zlib/libz.so.1" <(bin/wd-zlib -- env)
	mkdir lib64
	mv "lib/$(cc -print-multiarch)/warpdrive" lib64/
	grep -qx "LD_PRELOAD=$PWD/lib64/warpdrive/zlib/libz.so.1" <(bin/wd-zlib -- env)
}

test_without_the_file_nothing_runs() {
	elsewhere
	rm lib/warpdrive/zlib/libz.so.1
	exits 125 bin/wd-zlib -- touch ran 2>err
	says "$PWD/lib/warpdrive/zlib/libz.so.1: No such file or directory; run 'wd-zlib --check'" err
	absent ran
	exits 1 wd-emulate --zip 1 -- bin/wd-zlib --check >got
	local library=$PWD/lib/warpdrive/zlib/libz.so.1
	says "problem  zlib       the replacement of zlib isn't installed: there is no $library" got
}

# The dynamic linker has no way to name it.
test_a_path_with_a_separator_is_refused() {
	mkdir 'a b'
	(cd 'a b' && elsewhere)
	exits 125 'a b/bin/wd-zlib' -- touch ran 2>err
	says 'expected a path without spaces and colons' err
	absent ran
}

# A relative path of the library names another one as soon as the program changes its folder.
test_a_relative_path_of_the_library_loads_no_foreign_code() {
	elsewhere
	echo '__attribute__((constructor)) static void loaded(void) { __builtin_trap(); }' >foreign.c
	mkdir -p foreign/a/b
	cc -shared -fPIC -Wl,-soname,libwd_comp.so.0 -o foreign/libwd_comp.so.0 foreign.c
	(
		cd lib/warpdrive/zlib
		export WD_ZLIB_STATS=$OLDPWD/counts LD_LIBRARY_PATH=.
		wd-emulate --zip 1 -- python3 -c "
import os, zlib
os.chdir('$OLDPWD/foreign/a/b')
zlib.compress(bytes(range(250)) * 1200, 6)"
	)
	[ "$(counted deflate_device_bytes counts)" = 300000 ]
}

# A program that enters a sandbox before it uses zlib: all but what zlib itself and malloc() call ends it.
test_off_makes_no_system_call() {
	cat >sandbox.c <<-'END'
		#include <linux/filter.h>
		#include <linux/seccomp.h>
		#include <stddef.h>
		#include <sys/prctl.h>
		#include <sys/syscall.h>
		#include <zlib.h>

		#define ALLOW(call) \
			BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##call, 0, 1), \
			BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

		static struct sock_filter filter[] = {
			BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
			ALLOW(brk), ALLOW(mmap), ALLOW(munmap), ALLOW(mremap), ALLOW(getrandom), ALLOW(exit_group),
			BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		};
		static unsigned char data[1 << 20], out[1 << 20], back[1 << 20];

		int main(void)
		{
			struct sock_fprog program = { sizeof(filter) / sizeof(filter[0]), filter };
			uLongf len = sizeof(out), got = sizeof(back);

			if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
			    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
				return 3;
			return compress2(out, &len, data, sizeof(data), 1) != Z_OK ||
			       uncompress(back, &got, out, len) != Z_OK;
		}
	END
	cc -o sandbox sandbox.c -lz
	./sandbox || skip 'the sandbox is too narrow for this zlib'
	WD_ZLIB=off wd-zlib -- ./sandbox
	WD_ZLIB=off wd-emulate --zip 1 -- wd-zlib -- ./sandbox
}

# --- --check ---

test_the_check_names_the_devices() {
	wd-emulate --zip 2 -- wd-zlib --check >got
	says "ok       zlib       $SHIM" got
	says 'ok       zlib       hisi_zip-0 may compress for zlib' got
	says 'ok       zlib       hisi_zip-1 may compress for zlib' got
	says 'ok       library    libwd_comp.so.0' got
	says 'levels 1-6, streams from 65536 bytes on, in parts of 262144 bytes, inflate whole' got
	says 'no problems' got
	wd-emulate --zip 1 -- wd-zlib --levels 2-3 --chunk 64k --inflate off --min 1m --check >got
	says 'levels 2-3, streams from 1048576 bytes on, in parts of 1048576 bytes, inflate off' got
}

# finds TEXT COMMAND...: it is a problem for the check.
finds() {
	exits 1 "${@:2}" --check >got
	grep '^problem ' got | grep -qF -- "$1" || {
		echo "expected '$1' in:"
		cat got
		return 1
	}
}

test_the_check_says_why_no_device_compresses() {
	finds 'none of the devices compresses' wd-emulate --sec 1 -- wd-zlib
	finds 'there is no device' wd-emulate --zip 0 -- wd-zlib
	[ -e /sys/class/uacce ] || finds 'there is no /sys/class/uacce, because the module uacce' wd-zlib
	finds 'SOURCE_DATE_EPOCH is set' env SOURCE_DATE_EPOCH=1 wd-emulate --zip 1 -- wd-zlib
	finds 'WD_ZLIB=off' env WD_ZLIB=off wd-emulate --zip 1 -- wd-zlib
	finds 'WD_PATH=soft' env WD_PATH=soft wd-emulate --zip 1 -- wd-zlib
	WD_ZLIB_MIN=lots wd-emulate --zip 1 -- wd-zlib --check >got
	says 'note     settings   WD_ZLIB_MIN=lots: expected 1 to 1m; the default is used' got
}

# Nobody but root can open the node of such a device. Beside another one it is a note.
test_the_check_says_who_may_not_open_a_node() {
	cat >closed.c <<-'END'
		#define _GNU_SOURCE
		#include <dlfcn.h>
		#include <errno.h>
		#include <stdlib.h>
		#include <string.h>
		#include <unistd.h>

		int access(const char *path, int mode)
		{
			int (*next)(const char *, int) = dlsym(RTLD_NEXT, "access");

			if (mode & W_OK && strstr(path, getenv("CLOSED"))) {
				errno = EACCES;
				return -1;
			}
			return next(path, mode);
		}
	END
	cc -shared -fPIC -o closed.so closed.c -ldl
	finds "can't open /dev/hisi_zip-0, so it does nothing for zlib" \
		wd-emulate --zip 2 -- env CLOSED=hisi_zip LD_PRELOAD="$PWD/closed.so:$OUT/lib/libuacce-emu.so.0" wd-zlib
	says '2 problems' got
	wd-emulate --zip 2 -- env CLOSED=hisi_zip-0 LD_PRELOAD="$PWD/closed.so:$OUT/lib/libuacce-emu.so.0" wd-zlib \
		--check >got
	says 'note     zlib       user' got
	says 'hisi_zip-1 may compress' got
}

test_the_check_knows_the_library() {
	elsewhere
	rm lib/libwd_comp.so*
	exits 1 wd-emulate --zip 1 -- bin/wd-zlib --check >got
	says "problem  library    libwd_comp.so.0 can't be loaded: " got
}

test_the_check_knows_the_section() {
	printf '[web]\nNumProcesses = 2\n[later]\nLive = no\n' >sections
	wd-emulate --zip 1 --sections sections -- wd-zlib --section web --check >got
	says 'section web is live, with 2 of 2 slots free' got
	finds 'section later is configured: it takes no process' wd-emulate --zip 1 --sections sections -- wd-zlib \
		--section later
	says '-> wdctl section live later' got
	finds 'section wrong: there is no such section' wd-emulate --zip 1 --sections sections -- wd-zlib \
		--section wrong
	finds 'section wrong: there is no such section' env WD_SECTION=wrong wd-emulate --zip 1 --sections sections \
		-- wd-zlib
	wd-emulate --zip 1 -- wd-zlib --section web --check >got
	says 'note     section    section web has no effect: this kernel has no sections' got
}

test_the_check_has_json() {
	printf '[web]\n' >sections
	wd-emulate --zip 2 --sec 1 --sections sections -- wd-zlib --section web --check --json >got
	python3 - <<-'END'
		import json
		got = json.load(open("got"))
		assert [d["name"] for d in got["devices"]] == ["hisi_zip-0", "hisi_zip-1"], got
		assert "zlib" in got["devices"][0]["algorithms"]
		assert got["section"] == {"name": "web", "state": "live"}, got
		areas = {f["area"] for f in got["findings"]}
		assert got["problems"] == 0 and areas == {"settings", "zlib", "library", "section"}, got
	END
	exits 1 wd-emulate --sec 1 -- wd-zlib --check --json >got
	python3 - <<-'END'
		import json
		got = json.load(open("got"))
		assert got["devices"] == [] and got["section"] is None and got["problems"] == 1, got
	END
}

test_help_and_version() {
	wd-zlib --help >got
	says 'usage: wd-zlib [--section NAME]' got
	for option in $(wd-zlib --list-opts | tr -d =); do
		says "$option" got
	done
	wd-zlib --version >got
	says "wd-zlib $(cat "$TOP/VERSION")" got
}

complete_words() {
	COMP_WORDS=("$@")
	COMP_CWORD=$(($# - 1))
	_wd_zlib "$1"
	printf '%s\n' "${COMPREPLY[@]}"
}

test_the_completion() {
	. "$TOP/user/tools/wd-zlib/completion/wd-zlib"
	[ "$(complete_words wd-zlib --inf)" = --inflate ]
	[ "$(complete_words wd-zlib --inflate st)" = stream ]
	[ "$(complete_words wd-zlib --levels 1- | xargs)" = '1-6 1-9' ]
	[ "$(complete_words wd-zlib --min 1m --chunk 51)" = 512k ]
	[ "$(complete_words wd-zlib --check --js)" = --json ]
	grep -qx python3 <(complete_words wd-zlib --levels 1-6 -- pytho)
	grep -qx python3 <(complete_words wd-zlib pytho)
	touch a-file
	[ "$(complete_words wd-zlib -- cat --inflate a-f)" = a-file ]
}

run_tests "$@"
