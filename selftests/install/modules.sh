#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# scripts/modules builds with this machine's compiler if packaged headers name another, also in nested makes.
set -u
cd "${TOP:-$(dirname "$0")/../..}" || exit 1
. selftests/include/tap.sh

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
headers=$scratch/headers
mkdir -p "$headers"/include/{generated,config}
echo '#define UTS_RELEASE "1.2-made-up"' >"$headers/include/generated/utsrelease.h"
# Debian's headers of 6.1 have the upstream version here.
echo 1.2.7 >"$headers/include/config/kernel.release"
# Like the kernel's build: the variables of a make below the first one count.
printf '%s\n' '-include .kernelvariables' 'modules:' '	@$(MAKE) -s -f below.mk' >"$headers/Makefile"
printf '%s\n' '-include .kernelvariables' 'CONFIG_DEBUG_INFO_BTF_MODULES := y' \
	'all:' '	@echo "compiler $(CC), btf $(CONFIG_DEBUG_INFO_BTF_MODULES)."' >"$headers/below.mk"

# gives LINE WORDS...: with WORDS as the headers' variables, the build prints LINE.
gives() {
	local want=$1
	shift
	printf '%s\n' "$@" >"$headers/.kernelvariables"
	BUILD=$scratch/build MAKEFLAGS='' scripts/modules "$headers" >"$scratch/said" 2>&1
	grep -qxF "$want" "$scratch/said" || { cat "$scratch/said"; return 1; }
}

mkdir "$scratch/bin"
ln -s "$(command -v gcc)" "$scratch/bin/x86_64-none-gcc-1"
PATH=$PATH:$scratch/bin

test_that 'a compiler that is here is taken' gives 'compiler x86_64-none-gcc-1, btf .' \
	'CC = $(CROSS_COMPILE)gcc-1' 'override CROSS_COMPILE = x86_64-none-'
test_that 'one that is missing is replaced' gives 'compiler gcc, btf .' 'CC = $(CROSS_COMPILE)gcc-2'
test_that 'so is one behind a condition' gives 'compiler gcc, btf .' \
	'CC = $(if $(DEBIAN_KERNEL_USE_CCACHE),$(CCACHE)) $(CROSS_COMPILE)gcc-2'
test_that 'so is one whose prefix the headers give' gives 'compiler gcc, btf .' \
	'CC = $(if $(DEBIAN_KERNEL_USE_CCACHE),$(CCACHE)) $(CROSS_COMPILE)gcc-2' 'override CROSS_COMPILE = x86_64-none-'
test_that 'so is one without a number' gives 'compiler gcc, btf .' 'CC = no-such-compiler'
named_as_the_kernel() { [ -d "$scratch/build/kmod/1.2-made-up" ] && [ ! -e "$scratch/build/kmod/1.2.7" ]; }
refused() {
	! scripts/kernel release "$scratch" 2>"$scratch/said" &&
		grep -F "$scratch: expected a folder of kernel headers" "$scratch/said"
}
test_that 'the modules lie under the name that uname -r prints' named_as_the_kernel
test_that 'a folder without headers is refused' refused
test_that 'headers that name none have the usual one' gives 'compiler cc, btf .' ''
tap_done
