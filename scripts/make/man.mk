# SPDX-License-Identifier: Apache-2.0
# Installs the pages of MAN into the section that their suffix names.

MAN_FILES := $(wildcard $(MAN))
MAN_SECTIONS := $(sort $(patsubst .%,%,$(suffix $(MAN_FILES))))
define install-man
$(Q)$(foreach s,$(MAN_SECTIONS),$(INSTALL) -d $(DESTDIR)$(MANDIR)/man$(s) && \
	$(INSTALL) -m 644 $(filter %.$(s),$(MAN_FILES)) $(DESTDIR)$(MANDIR)/man$(s)/ &&) true
endef
define uninstall-man
$(Q)rm -f $(foreach m,$(MAN_FILES),$(DESTDIR)$(MANDIR)/man$(patsubst .%,%,$(suffix $(m)))/$(notdir $(m)))
endef
