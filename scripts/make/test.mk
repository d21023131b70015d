# SPDX-License-Identifier: Apache-2.0
# The tests of one area, and the list of them for the runner.
#   NATIVE EMULATED VM            C programs; <prog>_SRCS if not <prog>.c
#   EMULATED_V2                   those of EMULATED that run on devices of generation 2 as well
#   EMULATED_MIXED                those of EMULATED that also run on one device of each generation
#   SHARED                        sources common to all of them, compiled once
#   NATIVE_SCRIPTS VM_SCRIPTS     TAP scripts
#   BOOT_SCRIPTS                  TAP scripts on the host that boot their own VMs
#   BUILD_SCRIPTS                 TAP scripts on the host that build what VM_SCRIPTS need
#   TSAN                          those of NATIVE and EMULATED that are also built and run with SAN=thread
#   NOT_DEBUG                     those of VM and VM_SCRIPTS that test user space and take too long on the debug kernel
#   ONCE                          those of VM and VM_SCRIPTS that run only on the first of several kernels
#   HELPERS                       C programs that scripts start
#   CHILDREN                      C programs that test programs start, so that sanitizers have them, too
#   KSELFTEST                     those of HELPERS that are tests of their own in an installation (selftests/Makefile)
#   KSELFTEST_NOT                 those of VM and VM_SCRIPTS that are not part of it
#   KSELFTEST_FILES               what scripts of that installation source
#   LIBS PKGS CPPFLAGS
#   TIMEOUT                       seconds for one program; <prog>_TIMEOUT overrides

include $(dir $(lastword $(MAKEFILE_LIST)))defs.mk

# A test is compiled in more time than fast code would save.
ifeq ($(origin CFLAGS),file)
CFLAGS := -O1 -g1
endif

AREA := $(notdir $(CURDIR))
TESTS := $(OUT)/tests/$(AREA)
TIMEOUT ?= 120
WHY := $(left-out-why)

# Sanitizers run natively only: the VM has KASAN instead.
ifeq ($(SAN),thread)
RUN_NATIVE := $(filter $(TSAN),$(NATIVE))
RUN_EMULATED := $(filter $(TSAN),$(EMULATED))
# The generation changes descriptors, not what threads share.
ifneq ($(WD_TEST_LONG),)
RUN_EMULATED_V2 := $(filter $(TSAN),$(EMULATED_V2))
RUN_EMULATED_MIXED := $(filter $(TSAN),$(EMULATED_MIXED))
endif
else
RUN_NATIVE := $(NATIVE)
RUN_EMULATED := $(EMULATED)
RUN_EMULATED_V2 := $(EMULATED_V2)
RUN_EMULATED_MIXED := $(EMULATED_MIXED)
endif
ifeq ($(SAN),)
RUN_VM := $(VM)
RUN_NATIVE_SCRIPTS := $(NATIVE_SCRIPTS)
RUN_VM_SCRIPTS := $(VM_SCRIPTS)
RUN_BOOT_SCRIPTS := $(BOOT_SCRIPTS)
RUN_BUILD_SCRIPTS := $(BUILD_SCRIPTS)
# It is scripts that start them.
RUN_HELPERS := $(HELPERS)
endif
RUN_HELPERS += $(CHILDREN)
BINS := $(sort $(RUN_NATIVE) $(RUN_EMULATED) $(RUN_VM) $(RUN_HELPERS))

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
$(TESTS)/$(1): $(call src-objs,$(AREA)/$(1),$(or $($(1)_SRCS),$(1).c)) $(SHARED_OBJS) $(call lib-files,$(LIBS))
	$$(call say,LD,$$@)
	$$(Q)mkdir -p $$(dir $$@)
	$$(Q)$$(CC) $$(LDFLAGS) $$(SANFLAGS) -pthread -Wl,--as-needed -Wl,-rpath,'$$$$ORIGIN/../../lib' -o $$@.new \
		$$(filter %.o,$$^) -L$$(OUT)/lib $$(link-libs) $$($(1)_LDLIBS) $$(LDLIBS) && mv $$@.new $$@
$(foreach s,$(or $($(1)_SRCS),$(1).c),$(eval $(call compile-rule,$(AREA)/$(1),$(s),)))
$(call src-objs,$(AREA)/$(1),$(or $($(1)_SRCS),$(1).c)): | $(HARNESS)
endef
$(foreach p,$(BINS),$(eval $(call test-rule,$(p))))

# The lines that selftests/run reads: kind, area, timeout, program.
vm-kind = $(if $(filter $(1),$(ONCE)),vm-once,$(if $(filter $(1),$(NOT_DEBUG)),vm-user,vm))
timeout-of = $(or $($(1)_TIMEOUT),$($(basename $(1))_TIMEOUT),$(TIMEOUT))
$(TESTS)/list: $(RULE_FILES)
	@mkdir -p $(TESTS)
	@{ :; $(foreach t,$(RUN_NATIVE),echo native $(AREA) $(call timeout-of,$(t)) $(TESTS)/$(t);) \
	$(foreach t,$(RUN_EMULATED),echo emulated $(AREA) $(call timeout-of,$(t)) $(TESTS)/$(t);) \
	$(foreach t,$(RUN_EMULATED_V2),echo emulated-v2 $(AREA) $(call timeout-of,$(t)) $(TESTS)/$(t);) \
	$(foreach t,$(RUN_EMULATED_MIXED),echo emulated-mixed $(AREA) $(call timeout-of,$(t)) $(TESTS)/$(t);) \
	$(foreach t,$(RUN_VM),echo $(call vm-kind,$(t)) $(AREA) $(call timeout-of,$(t)) $(TESTS)/$(t);) \
	$(foreach t,$(RUN_NATIVE_SCRIPTS),echo native $(AREA) $(call timeout-of,$(t)) $(CURDIR)/$(t);) \
	$(foreach t,$(RUN_BUILD_SCRIPTS),echo build $(AREA) $(call timeout-of,$(t)) $(CURDIR)/$(t);) \
	$(foreach t,$(RUN_BOOT_SCRIPTS),echo boot $(AREA) $(call timeout-of,$(t)) $(CURDIR)/$(t);) \
	$(foreach t,$(RUN_VM_SCRIPTS),echo $(call vm-kind,$(t)) $(AREA) $(call timeout-of,$(t)) $(CURDIR)/$(t);) } >$@
endif

# Into the folder INSTALL_PATH; its programs are then what kselftest-list prints.
KSELFTEST_BINS := $(filter-out $(KSELFTEST_NOT),$(VM) $(HELPERS))
KSELFTEST_SCRIPTS := $(filter-out $(KSELFTEST_NOT),$(VM_SCRIPTS))
kselftest-install: all
ifneq ($(WHY),)
	@echo "tests of $(AREA): $(WHY)" >&2; false
endif
	$(Q)mkdir -p $(INSTALL_PATH)
	$(Q)$(if $(KSELFTEST_BINS),$(INSTALL) -m 755 $(KSELFTEST_BINS:%=$(TESTS)/%) $(INSTALL_PATH)/)
	$(Q)$(if $(KSELFTEST_SCRIPTS),$(INSTALL) -m 755 $(KSELFTEST_SCRIPTS) $(INSTALL_PATH)/)
	$(Q)$(INSTALL) -m 644 settings config $(KSELFTEST_FILES) $(INSTALL_PATH)/

kselftest-list:
	@printf '$(AREA):%s\n' $(filter-out $(KSELFTEST_NOT),$(VM)) $(KSELFTEST) $(KSELFTEST_SCRIPTS)

install uninstall:
.PHONY: all install uninstall kselftest-install kselftest-list
