# SPDX-License-Identifier: Apache-2.0
# A class library: its own sources, the sources that classes share, and its drivers. Variables as in lib.mk; the
# library itself sets LIB SRCS MAP PKGS HEADERS.

TOP := ../../..

SHARED := ../shared
HISI := ../../drivers/hisi
SOFT := ../../drivers/soft

LIBS := libhisi_qm libwd
MAN := man/*.3
# Drivers include their class's header by its bare name.
CPPFLAGS += -I. -I$(SHARED) -I$(SOFT) -I$(TOP)/user/libwd -I$(TOP)/user/libhisi_qm
