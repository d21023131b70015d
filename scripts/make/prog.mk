# SPDX-License-Identifier: Apache-2.0
# The programs of one folder.
#   PROGS <prog>_SRCS [LIBS] [PKGS] [MAN] [COMPLETION] [CPPFLAGS]

include $(dir $(lastword $(MAKEFILE_LIST)))defs.mk

# For user/tools/shared/beside.c: distributions with several architectures on one machine have a folder for each below
# lib.
MULTIARCH = $(eval MULTIARCH := $(shell $(CC) -print-multiarch 2>/dev/null))$(MULTIARCH)
BESIDE_CPPFLAGS = -I$(TOP)/user/tools/shared -DMULTIARCH='"$(MULTIARCH)"'

WHY := $(left-out-why)
BINS := $(PROGS:%=$(OUT)/bin/%)

ifneq ($(WHY),)
all:
	@mkdir -p $(LEFT_OUT); echo '$(WHY)' | tee $(PROGS:%=$(LEFT_OUT)/%) >/dev/null
	@rm -f $(BINS)
	@echo "left out: $(PROGS): $(WHY)"
install:
	@echo "left out: $(PROGS): $(WHY)"
else
all: $(BINS)
	@rm -f $(PROGS:%=$(LEFT_OUT)/%)

# $(1): the program, $(2): linker options, $(3): the output.
prog-objs = $(call src-objs,$(1),$(or $($(1)_SRCS),$(1).c))
link-prog = $(CC) $(LDFLAGS) $(SANFLAGS) -pthread -Wl,--as-needed $(2) -o $(3) $(prog-objs) -L$(OUT)/lib \
	$(link-libs) $(LDLIBS)

define prog-rule
$(OUT)/bin/$(1): $(prog-objs) $(call lib-symbols,$(LIBS))
	$$(call say,LD,$$@)
	$$(Q)mkdir -p $$(dir $$@)
	$$(Q)$$(call link-prog,$(1),-Wl$$(comma)-rpath$$(comma)'$$$$ORIGIN/../lib',$$@.new) && mv $$@.new $$@
$(foreach s,$(or $($(1)_SRCS),$(1).c),$(eval $(call compile-rule,$(1),$(s),)))
endef
$(foreach p,$(PROGS),$(eval $(call prog-rule,$(p))))

install: all
	$(Q)$(INSTALL) -d $(DESTDIR)$(BINDIR)
	$(Q)$(foreach p,$(PROGS),$(call link-prog,$(p),$(INSTALL_RPATH),$(DESTDIR)$(BINDIR)/$(p).new) && \
		chmod 755 $(DESTDIR)$(BINDIR)/$(p).new && mv $(DESTDIR)$(BINDIR)/$(p).new \
			$(DESTDIR)$(BINDIR)/$(p) &&) true
	$(Q)$(if $(COMPLETION),$(INSTALL) -d $(DESTDIR)$(COMPLETIONDIR))
	$(Q)$(if $(COMPLETION),$(INSTALL) -m 644 $(COMPLETION) $(DESTDIR)$(COMPLETIONDIR)/)
	$(install-man)
endif

# Removes also what this machine could not build.
uninstall:
	$(Q)rm -f $(PROGS:%=$(DESTDIR)$(BINDIR)/%) $(foreach c,$(notdir $(COMPLETION)),$(DESTDIR)$(COMPLETIONDIR)/$(c))
	$(uninstall-man)

include $(TOP)/scripts/make/man.mk
.PHONY: all install uninstall
