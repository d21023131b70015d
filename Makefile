# SPDX-License-Identifier: Apache-2.0
# The targets for users; each calls a folder's Makefile or a script.

TOP := $(CURDIR)
ifneq ($(O),)
BUILD ?= $(O)
endif
BUILD ?= $(TOP)/build
PREFIX ?= /usr/local
V ?= 0
WERROR ?= 0
KERNELS ?=
export BUILD PREFIX V WERROR KERNELS
unexport O

# Each folder comes after the folders whose libraries it links.
USER_DIRS := $(patsubst %/Makefile,%,$(wildcard $(addsuffix /Makefile, \
	user/libwd user/libhisi_qm user/algs/comp user/algs/cipher user/algs/digest user/algs/aead user/algs/rsa \
		user/algs/dh user/algs/ecc user/uadk user/emulator/preload user/emulator/tool configfs-tools \
		user/tools/wdzip user/tools/wd-selftest user/openssl user/openssl/front user/zlib \
		user/tools/wd-zlib user/zstd user/tools/wd-zstd docs/man docs/examples)))
TEST_DIRS := $(patsubst %/Makefile,%,$(wildcard selftests/*/Makefile))
SUB = $(MAKE) --no-print-directory

all: user modules ## build everything that can be built here, and print what is left out

help: ## print this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1|\2/p' Makefile | awk -F'|' '{ printf "  make %-18s %s\n", $$1, $$2 }'
	@echo
	@if [ -x selftests/fuzz/run ] && [ -r $(BUILD)/user-fuzz/fuzz/targets ]; then echo '  targets of fuzz:'; \
		selftests/fuzz/run --list; echo; fi
	@echo '  O=DIR build folder, V=1 commands, WERROR=1 warnings are errors, SAN=address|thread, ARCH=arm64 (user,'
	@echo '  tests), KERNEL=6.1|6.12|debug|arm64|DIR for modules, KERNELS="6.1 6.12" for check, DESTDIR= PREFIX='
	@echo '  for install'

deps: ## install the Debian packages that are missing
	@scripts/deps

user: $(USER_DIRS) ## build libraries and tools

$(USER_DIRS):
	@+$(SUB) -C $@
.PHONY: $(USER_DIRS)
user/libhisi_qm: $(filter user/libwd,$(USER_DIRS))
user/algs/comp user/algs/cipher user/algs/digest user/algs/aead user/algs/rsa user/algs/dh user/algs/ecc: \
	$(filter user/libwd user/libhisi_qm,$(USER_DIRS))
user/uadk user/emulator/preload user/emulator/tool user/tools/wdzip user/tools/wd-selftest user/openssl \
	user/openssl/front user/zstd user/tools/wd-zstd docs/examples: \
	$(filter user/libwd user/libhisi_qm user/algs/%,$(USER_DIRS))

tests: user $(TEST_DIRS) ## build the test programs
$(TEST_DIRS): $(USER_DIRS)
	@+$(SUB) -C $@
.PHONY: $(TEST_DIRS)

modules: ## build kernel modules for KERNEL (default: the running one, if its headers are installed)
	@+scripts/modules $(or $(KERNEL),$(filter arm64,$(ARCH)))

t: ## build and run one test: TEST=comp/test_block, or +emulated, with SAN=address|thread or VM=1
	@+selftests/one "$(TEST)"

check: ## run a choice of all tests, a quarter of an hour; the last line counts them
	@+selftests/run check

check-all: ## run all tests, on several kernels
	@+selftests/run all

check-rest: ## run what check-all has and check leaves out
	@+selftests/run rest

check-native: ## run the tests that need no VM
	@+selftests/run native

check-debug: ## run kselftests under KASAN, lockdep, kmemleak and fault injection
	@+selftests/run debug

fuzzers: ## build the fuzzers, if clang and its libFuzzer are installed
	@+$(SUB) -C selftests/fuzz SAN=fuzz

# The shell has a variable of this name.
unexport SECONDS
fuzz: ## run the coverage-guided fuzzers; TARGET=NAME selects one, SECONDS=N for each
	@scripts/deps build fuzz
	@+$(SUB) fuzzers
	@selftests/fuzz/run "$(TARGET)" "$(or $(SECONDS),60)"

fuzz-coverage: ## print the coverage of the model and other code by the fuzzers' stored inputs
	@scripts/deps build fuzz
	@+$(SUB) -C selftests/fuzz SAN=coverage
	@selftests/fuzz/coverage $(TARGET)

kernels: ## build for every kernel that Debian has, boot each, and write the table of docs/supported-kernels.md
	@scripts/kernels

demo: ## compress a file on a simulated device in a VM, step by step
	@+scripts/demo

bench: ## run the benchmarks; ROWS=PATTERN selects some
	@scripts/deps build bench
	@+$(SUB) user
	@+$(SUB) -C benchmarks
	@benchmarks/run $(ROWS)

bench-record: ## write the instruction counts that check compares with
	@scripts/deps build bench
	@+$(SUB) user
	@+$(SUB) -C benchmarks
	@benchmarks/run --record

vm: ## open a shell in the VM
	@scripts/vm

# Files are staged below the build folder, so that an installation that fails has changed nothing.
STAGE := $(abspath $(BUILD))/install
stage-user: user
	@rm -rf $(STAGE)/user
	@+for d in $(USER_DIRS); do $(SUB) -C $$d install DESTDIR=$(STAGE)/user || exit; done
	@scripts/install stage-user

stage-modules: modules
	@scripts/install stage-modules $(KERNEL)

install: stage-user stage-modules ## install libraries, tools, headers, manual pages, modules (DESTDIR, PREFIX)
	@scripts/install commit user modules

install-user: stage-user
	@scripts/install commit user

install-modules: stage-modules
	@scripts/install commit modules

dkms-install: ## install the modules' source for dkms, and build it for the installed headers
	@scripts/install dkms warpdrive

dkms-install-sim: ## the same of the simulator, for machines that test without an accelerator
	@scripts/install dkms warpdrive-sim

deb: ## build the Debian packages, into DEB=DIR (default: the checkout's parent folder)
	@scripts/deps build deb
	@scripts/package deb "$(DEB)"

uninstall: ## remove everything that install has installed
	@scripts/install check-owner
	@+for d in $(USER_DIRS); do $(SUB) -C $$d uninstall || exit; done
	@scripts/install remove $(KERNEL)

clean: ## remove the build folder
	rm -rf $(BUILD)

.PHONY: all help deps user tests modules t check check-all check-rest check-native check-debug fuzzers fuzz \
	fuzz-coverage kernels demo bench bench-record vm stage-user stage-modules install install-user \
	install-modules dkms-install dkms-install-sim deb uninstall clean
