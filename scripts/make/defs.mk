# SPDX-License-Identifier: Apache-2.0
# Shared by the Makefiles of all folders: output folders, flags, quiet output.

override TOP := $(abspath $(dir $(lastword $(MAKEFILE_LIST)))/../..)
VERSION := $(shell cat $(TOP)/VERSION)
SOMAJOR := $(firstword $(subst ., ,$(VERSION)))

ifneq ($(O),)
BUILD ?= $(O)
endif
BUILD ?= $(TOP)/build
override BUILD := $(if $(filter /%,$(BUILD)),$(BUILD),$(TOP)/$(BUILD))

PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
MANDIR ?= $(PREFIX)/share/man
PKGCONFIGDIR ?= $(LIBDIR)/pkgconfig
# Files that only a compiler needs. UADK's development files are LIBDIR/libwd.so, libwd.a, libwd_comp.so, libwd.pc, ...;
# with a folder and names of our own both packages can be installed. The sonames differ (libwd.so.0, UADK: libwd.so.2).
DEVLIBDIR ?= $(LIBDIR)/warpdrive
pc-name = $(patsubst lib%,warpdrive-%,$(patsubst libwd_%,warpdrive-%,$(1:libwd=warpdrive)))
COMPLETIONDIR ?= $(PREFIX)/share/bash-completion/completions

# ARCH: another architecture than the host's; its libraries and headers are in a root folder of that architecture.
# Kernel developers have such a variable in their environment, with the kernel's names.
arch-name = $(patsubst x86,amd64,$(patsubst x86_64,amd64,$(patsubst aarch64,arm64,$(1))))
HOST_ARCH := $(call arch-name,$(shell uname -m))
BUILD_FOR := $(call arch-name,$(or $(ARCH),$(HOST_ARCH)))
ifneq ($(BUILD_FOR),$(HOST_ARCH))
ifneq ($(BUILD_FOR),arm64)
$(error ARCH=$(ARCH): expected $(HOST_ARCH) or arm64)
endif
ifneq ($(SAN),)
$(error ARCH=$(ARCH) SAN=$(SAN): sanitizers run on the host only)
endif
include $(dir $(lastword $(MAKEFILE_LIST)))cross.mk
endif

SAN ?=
ifeq ($(SAN),)
OUT := $(BUILD)/user$(CROSS_SUFFIX)
else ifeq ($(SAN),address)
OUT := $(BUILD)/user-asan
SANFLAGS := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
else ifeq ($(SAN),thread)
OUT := $(BUILD)/user-tsan
# -Wno-tsan: the compiler warns that ThreadSanitizer ignores fences. The accesses that they order are atomic anyway.
SANFLAGS := -fsanitize=thread -fno-omit-frame-pointer -Wno-tsan
else ifneq ($(filter fuzz coverage,$(SAN)),)
# Built with clang, which has libFuzzer; for selftests/fuzz only.
OUT := $(BUILD)/user-$(SAN)
FUZZ_CC ?= clang
CC := $(FUZZ_CC)
ifeq ($(SAN),fuzz)
SANFLAGS := -fsanitize=address,undefined,fuzzer-no-link -fno-sanitize-recover=undefined -fno-omit-frame-pointer
else
SANFLAGS := -fsanitize=fuzzer-no-link -fprofile-instr-generate -fcoverage-mapping
endif
else
$(error SAN=$(SAN): expected address, thread, fuzz or coverage)
endif

# This folder, relative to the top: part of its objects' names.
DIR := $(patsubst $(TOP)/%,%,$(abspath $(CURDIR)))

CC ?= cc
AR ?= ar
PKG_CONFIG ?= pkg-config
INSTALL ?= install
# Sanitizers find the same with fewer optimisations, and report functions and lines only. Both make their builds
# shorter.
CFLAGS ?= $(if $(SANFLAGS),-O1 -g1,-O2 -g)
# Debian's own flags make an error of a format that is no literal.
WARN := -Wall -Wextra -Wpedantic -Wformat-security $(if $(filter 1,$(WERROR)),-Werror)
# ThreadSanitizer ignores fences. Those that keep a load behind a store order nothing that it checks.
WARN += $(if $(filter thread,$(SAN)),-Wno-tsan)
# clang's warnings. Constant-time code uses bitwise operators on purpose.
WARN += $(if $(filter fuzz coverage,$(SAN)),-Wno-bitwise-instead-of-logical -Wno-unknown-warning-option)
STD := -std=c11

PUBLIC_INCLUDES := $(wildcard $(TOP)/user/*/include $(TOP)/user/algs/*/include)
WD_CPPFLAGS = -D_GNU_SOURCE -DWD_VERSION='"$(VERSION)"' $(PUBLIC_INCLUDES:%=-I%) -I$(TOP)/include -I$(TOP)/include/uapi
WD_CFLAGS = $(STD) $(WARN) -fPIC -fvisibility=default -pthread $(SANFLAGS)

# have-pkg: non-empty when pkg-config knows every package of $(1).
have-pkg = $(if $(strip $(1)),$(filter yes,$(shell $(PKG_CONFIG) --exists $(1) 2>/dev/null && echo yes)),yes)
missing-pkgs = $(foreach p,$(1),$(if $(call have-pkg,$(p)),,$(p)))
pkg-cflags = $(if $(strip $(1)),$(shell $(PKG_CONFIG) --cflags $(1)))
# With the libraries that those libraries need, which only a static link names.
static-libs = $(if $(strip $(1)),$(shell $(PKG_CONFIG) --static --libs $(1)))
pkg-libs = $(if $(strip $(1)),$(shell $(PKG_CONFIG) --libs $(1)))

# archive-within: the path of an archive that is part of a shared library of ours, or nothing: there may be none, or one
# whose code isn't for that.
archive-within = $(foreach a,$(filter /%,$(shell $(CC) -print-file-name=$(1).a)),$(shell $(CC) -shared -nostdlib \
	-Wl,-z,text -Wl,--whole-archive $(a) -o /dev/null 2>/dev/null && echo $(a)))

# left-out-why: the reason why something that needs LIBS, PKGS and HEADER_PKGS can't be built here, or nothing.
LEFT_OUT := $(OUT)/left-out
left-out-why = $(strip $(patsubst %,pkg-config-does-not-know-%,$(call missing-pkgs,$(PKGS) $(HEADER_PKGS))) \
	$(foreach l,$(LIBS),$(if $(wildcard $(LEFT_OUT)/$(l)),$(l)-was-left-out)))

ifeq ($(V),1)
Q :=
say = @:
else ifneq ($(findstring s,$(firstword -$(MAKEFLAGS))),)
Q := @
say = @:
else
Q := @
say = @printf '  %-7s %s\n' '$(1)' '$(patsubst $(TOP)/%,%,$(2))'
endif

# Files that determine how things are built. Lists of headers are excluded: they are read as makefiles too, but each
# compilation writes one.
RULE_FILES = $(filter-out %.d,$(MAKEFILE_LIST)) $(TOP)/VERSION

# src-objs: the objects of the sources $(2) for the artefact $(1); a source may be in another folder.
obj-of = $(OUT)/obj/$(1)/$(patsubst $(TOP)/%,%,$(abspath $(2))).o
src-objs = $(foreach s,$(2),$(call obj-of,$(1),$(s)))

# Evaluated once per folder, by the first rule that compiles.
PKG_CFLAGS = $(eval PKG_CFLAGS := $(call pkg-cflags,$(PKGS) $(HEADER_PKGS)))$(PKG_CFLAGS)

# A compiler cache with a base folder writes the object's relative name into the list of headers, which is no target
# here: sed restores the name. It also drops the source, or a moved checkout would invalidate its build folder.
# movable-list: sed's arguments for the list of headers of $@. Make reads the list as a makefile: with variables in
# place of this checkout and this build folder, the list is right also after either is copied or moved.
movable-list = -e '1s|^[^ :]*:|$$(OUT)$(@:$(OUT)%=%):|' -e 's, $<\( \|$$\), ,' \
	$(call movable-path,BUILD) $(call movable-path,TOP)
movable-path = -e 's;\(^\| \)$(subst .,[.],$($(1)))/;\1$$($(1))/;g'

# compile-rule: $(1) artefact, $(2) one source, $(3) extra flags.
define compile-rule
$(call obj-of,$(1),$(2)): $(2) $(RULE_FILES)
	$$(call say,CC,$(abspath $(2)))
	$$(Q)mkdir -p $$(dir $$@)
	$$(Q)$$(CC) $$(WD_CPPFLAGS) $$(CPPFLAGS) $$(PKG_CFLAGS) $$(CFLAGS) $$(WD_CFLAGS) $(3) -MMD -MP -c -o $$@ $$<
	$$(Q)sed -i $$(movable-list) $$(@:.o=.d)
-include $(patsubst %.o,%.d,$(call obj-of,$(1),$(2)))
endef

# In the build folder files find each other by relative paths. Installed files are linked a second time: without any
# path if LIBDIR is one that the loader searches by itself, as distributions demand; otherwise, with a PREFIX like
# /opt/x, with LIBDIR as the one absolute path. Without it neither tools nor libraries would find their libraries.
# ldconfig is the installer's task.
LOADER_DIRS := /lib /lib64 /lib/% /lib64/% /usr/lib /usr/lib64 /usr/lib/% /usr/lib64/% /usr/local/lib \
	/usr/local/lib64 /usr/local/lib/%
INSTALL_RPATH = $(if $(filter $(LOADER_DIRS),$(LIBDIR)),,-Wl$(comma)-rpath$(comma)$(LIBDIR)) -Wl,-rpath-link,$(OUT)/lib
comma := ,

link-libs = $(LIBS:lib%=-l%) $(call pkg-libs,$(PKGS))
# What programs are linked with: a library that has changed inside only is not linked again.
lib-symbols = $(foreach l,$(1),$(OUT)/lib/$(l).symbols)

$(OUT)/lib/lib%.symbols:
	@echo "$(DIR): needs lib$*, which is not built: run 'make user' at the top first" >&2; false

.SUFFIXES:
# Programs are linked under another name and then moved, because a killed make deletes nothing.
.DELETE_ON_ERROR:
.DEFAULT_GOAL := all
