# SPDX-License-Identifier: Apache-2.0
# One module per folder, which another library loads by the name of its file: no prefix, no soname, no version.
#   MODULE SRCS MAP [LIBS] [PKGS] [CPPFLAGS]

include $(dir $(lastword $(MAKEFILE_LIST)))defs.mk

OBJS := $(call src-objs,$(MODULE),$(SRCS))
SO := $(OUT)/ossl-modules/$(MODULE).so
# Providers and their headers came with version 3.0 of libcrypto.
OLD := $(if $(shell $(PKG_CONFIG) --atleast-version=3.0 libcrypto && echo yes),,libcrypto-is-older-than-3.0)
WHY := $(or $(left-out-why),$(OLD))
# With another PREFIX the installation writes to no folder of libcrypto's.
OSSL_MODULES_DIR ?= $(strip $(if $(filter /usr,$(PREFIX)), \
	$(shell $(PKG_CONFIG) --variable=modulesdir libcrypto),$(LIBDIR)/ossl-modules))

ifneq ($(WHY),)
all:
	@mkdir -p $(LEFT_OUT); echo '$(WHY)' >$(LEFT_OUT)/$(MODULE)
	@rm -f $(SO)
	@echo "left out: $(MODULE): $(WHY)"
install:
	@echo "left out: $(MODULE): $(WHY)"
else
all: $(SO)
	@rm -f $(LEFT_OUT)/$(MODULE)

$(foreach s,$(SRCS),$(eval $(call compile-rule,$(MODULE),$(s),)))

# $(1): linker options, $(2): the output. nodelete: threads of libwd call the module, also after it was unloaded.
link-module = $(CC) -shared $(LDFLAGS) $(SANFLAGS) -pthread $(if $(SAN),,-Wl$(comma)-z$(comma)defs) -Wl,-z,nodelete \
	-Wl,--as-needed \
	-Wl,--version-script=$(MAP) $(1) -o $(2) $(OBJS) -L$(OUT)/lib $(link-libs) $(LDLIBS)

$(SO): $(OBJS) $(MAP) $(call lib-symbols,$(LIBS))
	$(call say,LD,$@)
	$(Q)mkdir -p $(dir $@)
	$(Q)$(call link-module,-Wl$(comma)-rpath$(comma)'$$ORIGIN/../lib',$@.new) && mv $@.new $@

install: all
	$(Q)$(INSTALL) -d $(DESTDIR)$(OSSL_MODULES_DIR)
	$(Q)$(call link-module,$(INSTALL_RPATH),$(DESTDIR)$(OSSL_MODULES_DIR)/$(MODULE).so.new)
	$(Q)chmod 644 $(DESTDIR)$(OSSL_MODULES_DIR)/$(MODULE).so.new
	$(Q)mv $(DESTDIR)$(OSSL_MODULES_DIR)/$(MODULE).so.new $(DESTDIR)$(OSSL_MODULES_DIR)/$(MODULE).so
endif

# Removes also what this machine could not build, and without pkg-config looks where distributions have such modules.
uninstall:
	$(Q)for dir in $(addprefix $(DESTDIR),$(OSSL_MODULES_DIR) $(LIBDIR)/ossl-modules $(LIBDIR)/*/ossl-modules); do \
		[ -e "$$dir/$(MODULE).so" ] || continue; \
		rm -f "$$dir/$(MODULE).so"; \
		rmdir -p --ignore-fail-on-non-empty "$$dir"; \
	done
.PHONY: all install uninstall
