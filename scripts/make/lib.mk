# SPDX-License-Identifier: Apache-2.0
# One library per folder: shared and static, with soname, symbol map and .pc file.
#   LIB SRCS MAP [LIBS] [PKGS] [HEADERS] [MAN] [DESC] [CPPFLAGS]

include $(dir $(lastword $(MAKEFILE_LIST)))defs.mk

DESC ?= WarpDrive: $(LIB)
OBJS := $(call src-objs,$(LIB),$(SRCS))
SO := $(OUT)/lib/$(LIB).so
PC := $(OUT)/lib/pkgconfig/$(LIB).pc
WHY := $(left-out-why)

ifneq ($(WHY),)
all:
	@mkdir -p $(LEFT_OUT); echo '$(WHY)' >$(LEFT_OUT)/$(LIB)
	@rm -f $(SO)* $(OUT)/lib/$(LIB).a $(PC)
	@echo "left out: $(LIB): $(WHY)"
install:
	@echo "left out: $(LIB): $(WHY)"
else
all: $(SO) $(OUT)/lib/$(LIB).a $(PC)
	@rm -f $(LEFT_OUT)/$(LIB)

$(foreach s,$(SRCS),$(eval $(call compile-rule,$(LIB),$(s),)))

# A map may name the version (a private node lasts for one release only).
$(OUT)/obj/$(LIB)/$(LIB).map: $(MAP) $(TOP)/VERSION
	@mkdir -p $(dir $@)
	$(Q)sed 's/@VERSION@/$(VERSION)/g' $< >$@

# Never unmapped: a library has threads, handlers of fork() and exit(), and open queues.
$(SO).$(VERSION): $(OBJS) $(OUT)/obj/$(LIB)/$(LIB).map $(call lib-files,$(LIBS))
	$(call say,LD,$@)
	$(Q)mkdir -p $(dir $@)
	$(Q)$(CC) -shared $(LDFLAGS) $(SANFLAGS) -pthread -Wl,-soname,$(LIB).so.$(SOMAJOR) -Wl,-z,defs -Wl,-z,nodelete -Wl,--as-needed \
		-Wl,--version-script=$(OUT)/obj/$(LIB)/$(LIB).map -Wl,-rpath,'$$ORIGIN' -o $@.new $(OBJS) -L$(OUT)/lib $(link-libs) $(LDLIBS)
	$(Q)mv $@.new $@

$(SO): $(SO).$(VERSION)
	$(Q)ln -sf $(LIB).so.$(VERSION) $(SO).$(SOMAJOR)
	$(Q)ln -sf $(LIB).so.$(SOMAJOR) $@

$(OUT)/lib/$(LIB).a: $(OBJS)
	$(call say,AR,$@)
	$(Q)mkdir -p $(dir $@)
	$(Q)rm -f $@; $(AR) rcs $@ $(OBJS)

$(PC): $(RULE_FILES)
	@mkdir -p $(dir $@)
	$(Q)printf '%s\n' 'prefix=$(PREFIX)' 'libdir=$(LIBDIR)' 'includedir=$(INCLUDEDIR)' '' \
		'Name: $(LIB)' 'Description: $(DESC)' 'Version: $(VERSION)' \
		'Requires: $(LIBS)' \
		'Libs: -L$${libdir} -l$(LIB:lib%=%)' 'Libs.private: $(strip $(call pkg-libs,$(PKGS)) -pthread)' 'Cflags: -I$${includedir}/warpdrive' >$@

install: all
	$(Q)$(INSTALL) -d $(DESTDIR)$(LIBDIR) $(DESTDIR)$(PKGCONFIGDIR) $(DESTDIR)$(INCLUDEDIR)/warpdrive
	$(Q)$(INSTALL) -m 755 $(SO).$(VERSION) $(DESTDIR)$(LIBDIR)/
	$(Q)ln -sf $(LIB).so.$(VERSION) $(DESTDIR)$(LIBDIR)/$(LIB).so.$(SOMAJOR)
	$(Q)ln -sf $(LIB).so.$(SOMAJOR) $(DESTDIR)$(LIBDIR)/$(LIB).so
	$(Q)$(INSTALL) -m 644 $(OUT)/lib/$(LIB).a $(DESTDIR)$(LIBDIR)/
	$(Q)sed -e 's|^prefix=.*|prefix=$(PREFIX)|' -e 's|^libdir=.*|libdir=$(LIBDIR)|' \
		-e 's|^includedir=.*|includedir=$(INCLUDEDIR)|' $(PC) >$(DESTDIR)$(PKGCONFIGDIR)/$(LIB).pc
	$(Q)$(if $(HEADERS),$(INSTALL) -m 644 $(HEADERS) $(DESTDIR)$(INCLUDEDIR)/warpdrive/)
	$(install-man)
endif

# Whatever can be built here today.
uninstall:
	$(Q)rm -f $(DESTDIR)$(LIBDIR)/$(LIB).so $(DESTDIR)$(LIBDIR)/$(LIB).so.* $(DESTDIR)$(LIBDIR)/$(LIB).a \
		$(DESTDIR)$(PKGCONFIGDIR)/$(LIB).pc $(foreach h,$(notdir $(HEADERS)),$(DESTDIR)$(INCLUDEDIR)/warpdrive/$(h))
	$(uninstall-man)

include $(TOP)/scripts/make/man.mk
.PHONY: all install uninstall
