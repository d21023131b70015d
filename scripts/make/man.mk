# SPDX-License-Identifier: Apache-2.0
# Installs the pages of MAN into the sections that their suffixes name. An alias is a symbolic link and is installed as
# one: its page may belong to another library, but is in the same folder once installed.

MAN_FILES := $(wildcard $(MAN))
MAN_SECTIONS := $(sort $(patsubst .%,%,$(suffix $(MAN_FILES))))
define install-man
$(Q)$(foreach s,$(MAN_SECTIONS),$(INSTALL) -d $(DESTDIR)$(MANDIR)/man$(s) && \
	for page in $(filter %.$(s),$(MAN_FILES)); do \
		to=$(DESTDIR)$(MANDIR)/man$(s)/$${page##*/}; \
		if [ -L $$page ]; then of=$$(readlink $$page); ln -sf $${of##*/} $$to; \
		else $(INSTALL) -m 644 $$page $$to; fi || exit; \
	done &&) true
endef
define uninstall-man
$(Q)rm -f $(foreach m,$(MAN_FILES),$(DESTDIR)$(MANDIR)/man$(patsubst .%,%,$(suffix $(m)))/$(notdir $(m)))
endef
