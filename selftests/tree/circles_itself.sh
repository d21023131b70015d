#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# circles.py refuses what it must, in a small tree that is made up: one library, one module of the kernel.
set -u
cd "${TOP:-$(dirname "$0")/../..}" || exit 1
. selftests/include/tap.sh

from=$PWD

# file PATH: writes its input to a file of the tree.
file() {
	mkdir -p "$(dirname "$1")"
	cat >"$1"
}

# In the folder of the test. high.c calls low.c.
tree() {
	mkdir -p scripts user
	cp -r "$from/scripts/make" scripts/
	cp "$from/VERSION" .
	file Makefile <<<'USER_DIRS := user/one'
	file user/one/Makefile <<-'END'
		LIB := libone
		SRCS := high.c low.c
		MAP := one.map
		include ../../scripts/make/lib.mk
	END
	file user/one/one.map <<<'ONE { global: *; };'
	file user/one/low.h <<<'int low(void);'
	file user/one/high.h <<<'int high(void);'
	file user/one/low.c <<<$'#include "low.h"\nint low(void) { return 1; }'
	file user/one/high.c <<<$'#include "high.h"\n#include "low.h"\nint high(void) { return low(); }'
	file kernel/one/Kbuild <<<'obj-m := mod.o'
	file kernel/one/mod.c <<<'int mod(void) { return 0; }'
	file selftests/tree/circles.txt </dev/null
	printf '%b' 'order libone user/one\n\tlow: low.c\n\thigh: high.c\n' 'order mod kernel/one\n\tall: mod.c\n' \
		>selftests/tree/orders.txt
	sed 's/^FILES = [0-9]*/FILES = 0/' "$from/selftests/tree/circles.py" >selftests/tree/circles.py
	built
}

built() {
	(unset BUILD OUT TOP; quiet_make -C user/one)
}

# A module as the kernel's build leaves it.
module_built() {
	mkdir -p build/kmod/6.1/kernel/one
	cc -c -o build/kmod/6.1/kernel/one/mod.o kernel/one/mod.c
	echo kernel/one/mod.o >build/kmod/6.1/kernel/one/mod.mod
	touch build/kmod/6.1/Module.symvers
}

circles() {
	TOP=$PWD BUILD=$PWD/build OUT=$PWD/build/user python3 selftests/tree/circles.py >out 2>&1
}

# refuses TEXT: circles.py fails, and says this; nothing else fails.
refuses() {
	not circles
	says "$1" out
	[ "$(grep -c '^not ok' out)" = "${2:-1}" ] || { cat out; return 1; }
}

test_a_tree_in_order_passes() {
	tree
	module_built
	circles || { cat out; return 1; }
	says "ok 4 - libone has no circles" out
	says "ok 5 - libone's files call and include downwards" out
	says "mod.ko of 6.1's files call and include downwards" out
	not grep SKIP out
}

test_modules_whose_build_goes_on_are_skipped() {
	tree
	module_built
	rm build/kmod/6.1/Module.symvers
	circles || { cat out; return 1; }
	says '# SKIP not built: make modules' out
}

test_modules_that_are_not_built_are_skipped() {
	tree
	circles
	says '# SKIP not built: make modules' out
}

test_an_artefact_that_is_left_out_is_skipped() {
	tree
	rm -r build/user/obj
	mkdir -p build/user/left-out
	echo pkg-config-does-not-know-it >build/user/left-out/libone
	circles
	says 'libone is built # SKIP left out: pkg-config-does-not-know-it' out
}

test_an_artefact_without_objects() {
	tree
	rm -r build/user/obj
	refuses 'no object of user/one/high.c user/one/low.c'
}

test_a_source_without_its_object() {
	tree
	rm build/user/obj/libone/user/one/low.c.o
	refuses 'no object of user/one/low.c'
}

test_an_artefact_in_another_folder_of_objects() {
	tree
	sed -i 's|^LIB := .*|NAME := other/libone|; s|lib.mk|defs.mk|' user/one/Makefile
	# Its order has the old name.
	refuses 'no object of user/one/high.c user/one/low.c' 3
	says 'orders.txt has no order for other/libone' out
	says 'no such artefact: libone' out
}

test_a_folder_that_names_no_artefact() {
	tree
	sed -i '/^LIB/d; s|lib.mk|defs.mk|' user/one/Makefile
	refuses 'user/one/Makefile names no artefact' 2
}

test_an_artefact_without_an_order() {
	tree
	sed -i '1,3d' selftests/tree/orders.txt
	refuses 'orders.txt has no order for libone' 2
}

test_a_module_without_an_order() {
	tree
	sed -i '4,$d' selftests/tree/orders.txt
	refuses 'orders.txt has no order for mod'
}

test_a_module_that_is_missing_beside_others() {
	tree
	module_built
	echo 'obj-m := mod.o another.o' >kernel/one/Kbuild
	printf 'order another kernel/one\n\tall: mod.c\n' >>selftests/tree/orders.txt
	refuses 'another was not built, other modules were'
}

test_a_file_in_no_layer() {
	tree
	sed -i 's/high: high.c/high: high.h/' selftests/tree/orders.txt
	refuses 'user/one/high.c is in no layer of orders.txt'
}

test_a_file_of_an_order_that_is_gone() {
	tree
	sed -i 's/low: low.c/low: low.c gone.c/' selftests/tree/orders.txt
	# Without orders nothing has one.
	refuses 'orders.txt: there is no gone.c in user/one' 3
}

test_a_call_upwards() {
	tree
	sed -i 's/low: low.c/low: high.c/; s/high: high.c/high: low.c/' selftests/tree/orders.txt
	refuses 'user/one/high.c (low) -> user/one/low.c (high): low'
	says 'user/one/high.c (low) includes user/one/low.h (high)' out
}

test_an_include_upwards() {
	tree
	sed -i '1i #include "high.h"' user/one/low.c
	built
	refuses 'user/one/low.c (low) includes user/one/high.h (high)'
}

test_a_circle_in_one_layer() {
	tree
	printf '#include "high.h"\nint low(void) { return high(); }\n' >user/one/low.c
	sed -i 's/low: low.c/low: low.c high.c/; /high: high.c/d' selftests/tree/orders.txt
	built
	refuses 'a circle of 2 that is not permitted'
}

test_a_circle_that_is_permitted_once_more() {
	tree
	printf '#include "high.h"\nint low(void) { return high(); }\n' >user/one/low.c
	sed -i 's/low: low.c/low: low.c high.c/; /high: high.c/d' selftests/tree/orders.txt
	printf 'circle\n\tuser/one/high.c\n\tuser/one/low.c\n' >selftests/tree/circles.txt
	built
	refuses 'circles.txt has 2 files, circles.py says 0'
}

run_tests "$@"
