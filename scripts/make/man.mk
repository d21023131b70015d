# SPDX-License-Identifier: Apache-2.0
# Installs the pages of MAN into the section that their suffix names. An alias is a link to its page, and stays one:
# the page may belong to another library, but lies in the same folder after the installation.

MAN_FILES := $(wildcard $(MAN))
MAN_SECTIONS := $(sort $(patsubst .%,%,$(suffix $(MAN_FILES))))
define install-man
$(Q)$(foreach s,$(MAN_SECTIONS),$(INSTALL) -d $(DESTDIR)$(MANDIR)/man$(s) && \
	for page in $(filter %.$(s),$(MAN_FILES)); do \
		to=$(DESTDIR)$(MANDIR)/man$(s)/$${page##*/}; \
		if [ -L $$page ]; then of=$$(readlink $$page); ln -sf $${of##*/} $$to; else $(INSTALL) -m 644 $$page $$to; fi || exit; \
	done &&) true
endef
define uninstall-man
$(Q)rm -f $(foreach m,$(MAN_FILES),$(DESTDIR)$(MANDIR)/man$(patsubst .%,%,$(suffix $(m)))/$(notdir $(m)))
endef
