#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# docs/valgrind.supp: with it valgrind has nothing to say of a program that leaves its result's memory to the library,
# and without it, it has. With the shared libraries, and with the static ones.

. "$(dirname "$0")/../include/tap.sh"

command -v valgrind >/dev/null || { echo '1..0 # SKIP valgrind is not installed'; exit 4; }

# program NAME LINKER_ARGUMENT...
program() {
	cat >program.c <<-'END'
		#include <stdlib.h>
		#include <string.h>
		#include <wd_comp.h>

		int main(void)
		{
			struct wd_comp_sess_setup setup = {
				.alg_type = WD_GZIP, .comp_lv = 6, .win_size = WD_COMP_WS_32K,
				.flags = WD_SESS_PATH_SOFT
			};
			size_t room = 100000, len = room, back_len = room;
			char *src = calloc(1, room), *dst = malloc(room), *back = malloc(room);
			struct wd_comp_arg arg = { .src = src, .src_len = room, .dst = dst, .dst_len = &len };
			handle_t h = wd_comp_alloc_sess(&setup, NULL);

			if (!h || wd_compress(h, &arg))
				return 1;
			wd_comp_free_sess(h);
			setup.dir_type = WD_DIR_DECOMPRESS;
			h = wd_comp_alloc_sess(&setup, NULL);
			arg = (struct wd_comp_arg){ .src = dst, .src_len = len, .dst = back, .dst_len = &back_len };
			if (!h || wd_decompress(h, &arg) || back_len != room || memcmp(src, back, room))
				return 1;
			wd_comp_free_sess(h);
			free(src);
			free(dst);
			free(back);
			return 0;
		}
	END
	gcc -g -o "$1" program.c $(pc --cflags warpdrive-comp) "${@:2}"
}

pc() {
	PKG_CONFIG_PATH=$OUT/lib/pkgconfig pkg-config "$@"
}

# checked COMMAND...: 99 if valgrind finds an error.
checked() {
	valgrind -q --error-exitcode=99 "$@"
}

judge() {
	checked --suppressions="$TOP/docs/valgrind.supp" "./$1" 2>log || { cat log; return 1; }
	[ ! -s log ]
	exits 99 checked "./$1" 2>log
	says 'Syscall param msync(start)' log
}

test_suppressions_fit_the_shared_libraries() {
	program shared $(pc --libs warpdrive-comp) -Wl,-rpath,"$OUT/lib"
	judge shared
}

# Of others, the shared ones.
test_suppressions_fit_the_static_libraries() {
	program static "$OUT"/lib/{libwd_comp,libhisi_qm,libwd}.a \
		$(pc --static --libs-only-l warpdrive-comp | tr ' ' '\n' | grep -vE '^-l(wd|wd_comp|hisi_qm)$')
	judge static
}

run_tests "$@"
