# SPDX-License-Identifier: Apache-2.0
# One library per folder: shared and static, with soname, symbol map and .pc file.
#   LIB SRCS MAP [LIBS] [PKGS] [HEADERS] [MAN] [DESC] [CPPFLAGS]
#   STATIC_WITHOUT STATIC_AGAIN STATIC_FLAGS STATIC_PKGS   where the static library differs: sources that it lacks, or
#                                                          that are compiled for it again with these flags; its PKGS
#   SO_PKGS SO_ARCHIVES           where the shared library differs: its PKGS, and archives that it contains
#   HEADER_PKGS                   packages of which only headers are used
#   PRIVATE                       1: only a program of this tree loads it; it is installed into DEVLIBDIR, and nobody
#                                 links it

include $(dir $(lastword $(MAKEFILE_LIST)))defs.mk

# A callback may leave a poll by an exception, or by pthread_exit(). gcc would combine neighbouring words in vectors,
# which takes more instructions than it saves.
WD_CFLAGS += -fexceptions -fno-tree-slp-vectorize

DESC ?= WarpDrive: $(LIB)
OBJS := $(call src-objs,$(LIB),$(SRCS))
STATIC_OBJS := $(call src-objs,$(LIB),$(filter-out $(STATIC_WITHOUT) $(STATIC_AGAIN),$(SRCS))) \
	$(call src-objs,$(LIB)-static,$(STATIC_AGAIN))
STATIC_PKGS ?= $(PKGS)
SO_PKGS ?= $(PKGS)
SO := $(OUT)/lib/$(LIB).so
SYMBOLS := $(OUT)/lib/$(LIB).symbols
# Below TOP, of the headers that an installation has in one folder.
HEADER_DIRS := $(patsubst %/,$(DIR)/%,$(sort $(dir $(HEADERS)))) include/uapi
PC := $(OUT)/lib/pkgconfig/$(call pc-name,$(LIB)).pc
WHY := $(left-out-why)

ifneq ($(WHY),)
all:
	@mkdir -p $(LEFT_OUT); echo '$(WHY)' >$(LEFT_OUT)/$(LIB)
	@rm -f $(SO)* $(SYMBOLS) $(OUT)/lib/$(LIB).a $(PC)
	@echo "left out: $(LIB): $(WHY)"
install:
	@echo "left out: $(LIB): $(WHY)"
else
all: $(SO) $(SYMBOLS) $(OUT)/lib/$(LIB).a $(PC)
	@rm -f $(LEFT_OUT)/$(LIB)

$(foreach s,$(SRCS),$(eval $(call compile-rule,$(LIB),$(s),)))

$(foreach s,$(STATIC_AGAIN),$(eval $(call compile-rule,$(LIB)-static,$(s),$(STATIC_FLAGS))))

# A map may contain the version (a private node is valid for one release only).
$(OUT)/obj/$(LIB)/$(LIB).map: $(MAP) $(TOP)/VERSION
	@mkdir -p $(dir $@)
	$(Q)sed 's/@VERSION@/$(VERSION)/g' $< >$@

# $(1): linker options, $(2): the output. nodelete: the library must stay mapped, because it has threads, handlers of
# fork() and exit(), and open queues.
link-so = $(CC) -shared $(LDFLAGS) $(SANFLAGS) -pthread -Wl,-soname,$(LIB).so.$(SOMAJOR) -Wl,-z,defs -Wl,-z,nodelete \
	-Wl,--as-needed \
	-Wl,--version-script=$(OUT)/obj/$(LIB)/$(LIB).map $(1) -o $(2) $(OBJS) -L$(OUT)/lib \
	$(LIBS:lib%=-l%) $(SO_ARCHIVES) $(call pkg-libs,$(SO_PKGS)) $(LDLIBS)

# $(1): a library. Prints what a linker reads: its name, what it needs, and what it defines. A program holds a copy of
# data, so their size matters.
print-symbols = { readelf -dW $(1) | grep -E '\((SONAME|NEEDED)\)'; \
	readelf --dyn-syms -W $(1) | awk '$$7 != "UND" { print $$4, $$5, $$6, $$8, $$4 == "FUNC" ? "" : $$3 }' | sort; }

$(SO).$(VERSION): $(OBJS) $(OUT)/obj/$(LIB)/$(LIB).map $(call lib-symbols,$(LIBS)) $(SO_ARCHIVES)
	$(call say,LD,$@)
	$(Q)mkdir -p $(dir $@)
	$(Q)$(call link-so,-Wl$(comma)-rpath$(comma)'$$ORIGIN',$@.new)
	$(Q)$(call print-symbols,$@.new) >$(SYMBOLS).new
	$(Q)cmp -s $(SYMBOLS).new $(SYMBOLS) && rm $(SYMBOLS).new || mv $(SYMBOLS).new $(SYMBOLS)
	$(Q)mv $@.new $@

# Written with the library. It is older than the library when that has the same symbols.
$(SYMBOLS): | $(SO).$(VERSION)
	$(Q)[ -e $@ ] || $(call print-symbols,$(SO).$(VERSION)) >$@

$(SO): $(SO).$(VERSION)
	$(Q)ln -sf $(LIB).so.$(VERSION) $(SO).$(SOMAJOR)
	$(Q)ln -sf $(LIB).so.$(SOMAJOR) $@

$(OUT)/lib/$(LIB).a: $(STATIC_OBJS)
	$(call say,AR,$@)
	$(Q)mkdir -p $(dir $@)
	$(Q)rm -f $@; $(AR) rcsD $@ $(STATIC_OBJS)

# With this prefix, libdir and includedir, and these options to find the library and its headers.
print-pc = printf '%s\n' 'prefix=$(1)' 'libdir=$(2)' 'includedir=$(3)' '' \
	'Name: $(call pc-name,$(LIB))' 'Description: $(DESC)' 'Version: $(VERSION)' \
	'Requires: $(foreach l,$(LIBS),$(call pc-name,$(l)))' \
	'Libs: $(4) -l$(LIB:lib%=%)' 'Libs.private: $(strip $(call static-libs,$(STATIC_PKGS)) -pthread)' 'Cflags: $(5)'

PC_DEVLIB = -L$(DEVLIBDIR:$(LIBDIR)%=$${libdir}%)
PC_ROOT := $${pcfiledir}/../..
PC_INCLUDES = $(HEADER_DIRS:%=-I$${includedir}/%)
# For programs that use the build folder itself. Relative, so that a checkout can move together with its build folder.
$(PC): $(RULE_FILES)
	@mkdir -p $(dir $@)
	$(Q)top=$$(realpath -m --relative-to=$(dir $@) $(TOP)) && \
		$(call print-pc,$(PC_ROOT),$${prefix}/lib,$${pcfiledir}/'"$$top"',-L$${libdir},$(PC_INCLUDES)) >$@

ifeq ($(PRIVATE),1)
install: all
	$(Q)$(INSTALL) -d $(DESTDIR)$(DEVLIBDIR)
	$(Q)$(call link-so,$(INSTALL_RPATH),$(DESTDIR)$(DEVLIBDIR)/$(LIB).so.$(SOMAJOR).new)
	$(Q)chmod 644 $(DESTDIR)$(DEVLIBDIR)/$(LIB).so.$(SOMAJOR).new
	$(Q)mv $(DESTDIR)$(DEVLIBDIR)/$(LIB).so.$(SOMAJOR).new $(DESTDIR)$(DEVLIBDIR)/$(LIB).so.$(SOMAJOR)
	$(install-man)
else
install: all
	$(Q)$(INSTALL) -d $(DESTDIR)$(LIBDIR) $(DESTDIR)$(DEVLIBDIR) $(DESTDIR)$(PKGCONFIGDIR) \
		$(DESTDIR)$(INCLUDEDIR)/warpdrive
	$(Q)$(call link-so,$(INSTALL_RPATH),$(DESTDIR)$(LIBDIR)/$(LIB).so.$(VERSION).new)
	$(Q)chmod 755 $(DESTDIR)$(LIBDIR)/$(LIB).so.$(VERSION).new
	$(Q)mv $(DESTDIR)$(LIBDIR)/$(LIB).so.$(VERSION).new $(DESTDIR)$(LIBDIR)/$(LIB).so.$(VERSION)
	$(Q)ln -sf $(LIB).so.$(VERSION) $(DESTDIR)$(LIBDIR)/$(LIB).so.$(SOMAJOR)
	$(Q)ln -sf ../$(LIB).so.$(SOMAJOR) $(DESTDIR)$(DEVLIBDIR)/$(LIB).so
	$(Q)$(INSTALL) -m 644 $(OUT)/lib/$(LIB).a $(DESTDIR)$(DEVLIBDIR)/
	$(Q)$(call print-pc,$(PREFIX),$(LIBDIR),$(INCLUDEDIR),$(PC_DEVLIB),-I$${includedir}/warpdrive) \
		>$(DESTDIR)$(PKGCONFIGDIR)/$(notdir $(PC))
	$(Q)$(if $(HEADERS),$(INSTALL) -m 644 $(HEADERS) $(DESTDIR)$(INCLUDEDIR)/warpdrive/)
	$(install-man)
endif
endif

# Removes also what this machine could not build.
uninstall:
	$(Q)rm -f $(DESTDIR)$(LIBDIR)/$(LIB).so.$(SOMAJOR) $(DESTDIR)$(LIBDIR)/$(LIB).so.$(SOMAJOR).* \
		$(DESTDIR)$(DEVLIBDIR)/$(LIB).so $(DESTDIR)$(DEVLIBDIR)/$(LIB).so.$(SOMAJOR) \
			$(DESTDIR)$(DEVLIBDIR)/$(LIB).a \
		$(DESTDIR)$(PKGCONFIGDIR)/$(notdir $(PC)) \
			$(foreach h,$(notdir $(HEADERS)),$(DESTDIR)$(INCLUDEDIR)/warpdrive/$(h))
	$(Q)rmdir $(DESTDIR)$(DEVLIBDIR) 2>/dev/null || true
	$(uninstall-man)

include $(TOP)/scripts/make/man.mk
.PHONY: all install uninstall
