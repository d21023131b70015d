# SPDX-License-Identifier: Apache-2.0
# The tests of one area, which its file "tests" lists (docs/testing.md), and the runner's list of them.
#   <prog>_SRCS <prog>_LDLIBS     of a C program; <prog>.c if it has no <prog>_SRCS
#   SHARED                        sources common to all C programs, compiled once
#   LIBS PKGS CPPFLAGS
#   TIMEOUT                       seconds for a program without a limit of its own
#   KSELFTEST_FILES               what scripts of the area's kselftest source (selftests/Makefile)

include $(dir $(lastword $(MAKEFILE_LIST)))defs.mk

# A test is compiled in more time than fast code would save.
ifeq ($(origin CFLAGS),file)
CFLAGS := -O1 -g1
endif

AREA := $(notdir $(CURDIR))
TESTS := $(OUT)/tests/$(AREA)
TIMEOUT ?= 120
WHY := $(left-out-why)

# $(1): what tests.awk prints.
read-tests = awk -v what=$(1) -v san=$(SAN) -v area=$(AREA) -v limit=$(TIMEOUT) -v bin=$(TESTS) -v src=$(CURDIR) \
	-f $(TOP)/scripts/make/tests.awk tests
BINS := $(shell $(call read-tests,programs))
ifneq ($(.SHELLSTATUS),0)
$(error $(DIR)/tests can't be read)
endif

# The harness is the kernel's and needs GNU C; pedantic warnings about it are none of ours.
HARNESS := $(BUILD)/kselftest/kselftest_harness.h
STD := -std=gnu11
WARN := -Wall -Wextra -Wno-unused-parameter -Wno-sign-compare $(if $(filter 1,$(WERROR)),-Werror)
# Raw rings are ordered by fences, which ThreadSanitizer ignores: it checks the libraries only.
WARN += $(if $(filter thread,$(SAN)),-Wno-tsan)
WD_CPPFLAGS += -isystem $(BUILD)/kselftest -I$(TOP)/selftests/include

ifneq ($(WHY),)
all:
	@mkdir -p $(TESTS); echo 'left-out $(AREA) - $(WHY)' >$(TESTS)/list
	@echo "left out: tests of $(AREA): $(WHY)"
else
all: $(BINS:%=$(TESTS)/%) $(TESTS)/list

$(HARNESS): $(TOP)/scripts/kernel
	$(Q)$(TOP)/scripts/kernel kselftest $(dir $@)

SHARED_OBJS := $(call src-objs,$(AREA)/shared,$(SHARED))
$(foreach s,$(SHARED),$(eval $(call compile-rule,$(AREA)/shared,$(s),)))
$(SHARED_OBJS): | $(HARNESS)

define test-rule
$(TESTS)/$(1): $(call src-objs,$(AREA)/$(1),$(or $($(1)_SRCS),$(1).c)) $(SHARED_OBJS) $(call lib-symbols,$(LIBS))
	$$(call say,LD,$$@)
	$$(Q)mkdir -p $$(dir $$@)
	$$(Q)$$(CC) $$(LDFLAGS) $$(SANFLAGS) -pthread -Wl,--as-needed -Wl,-rpath,'$$$$ORIGIN/../../lib' -o $$@.new \
		$$(filter %.o,$$^) -L$$(OUT)/lib $$(link-libs) $$($(1)_LDLIBS) $$(LDLIBS) && mv $$@.new $$@
$(foreach s,$(or $($(1)_SRCS),$(1).c),$(eval $(call compile-rule,$(AREA)/$(1),$(s),)))
$(call src-objs,$(AREA)/$(1),$(or $($(1)_SRCS),$(1).c)): | $(HARNESS)
endef
$(foreach p,$(BINS),$(eval $(call test-rule,$(p))))

# It has the programs' absolute paths, which change with a copied or moved tree.
$(TESTS)/list: force
	@mkdir -p $(TESTS)
	@$(call read-tests,list) >$@.new
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@
endif

# Into the folder INSTALL_PATH; its programs are then what kselftest-list prints.
KSELFTEST_BINS = $(shell $(call read-tests,binaries))
KSELFTEST_SCRIPTS = $(shell $(call read-tests,scripts))
kselftest-install: all
ifneq ($(WHY),)
	@echo "tests of $(AREA): $(WHY)" >&2; false
endif
	$(Q)mkdir -p $(INSTALL_PATH)
	$(Q)$(if $(KSELFTEST_BINS),$(INSTALL) -m 755 $(KSELFTEST_BINS:%=$(TESTS)/%) $(INSTALL_PATH)/)
	$(Q)$(if $(KSELFTEST_SCRIPTS),$(INSTALL) -m 755 $(KSELFTEST_SCRIPTS) $(INSTALL_PATH)/)
	$(Q)$(INSTALL) -m 644 settings config $(KSELFTEST_FILES) $(INSTALL_PATH)/

kselftest-list:
	@$(call read-tests,kselftest) | sed 's/^/$(AREA):/'

install uninstall:
.PHONY: all force install uninstall kselftest-install kselftest-list
