# SPDX-License-Identifier: Apache-2.0
# A class library: its own sources, those that classes share, and its drivers. Variables as in lib.mk; LIB SRCS MAP PKGS
# HEADERS are the library's own.

TOP := ../../..

SHARED := ../shared
HISI := ../../drivers/hisi
SOFT := ../../drivers/soft

LIBS := libhisi_qm libwd
MAN := man/*.3
# Drivers include their class by its name.
CPPFLAGS += -I. -I$(SHARED) -I$(SOFT) -I$(TOP)/user/libwd -I$(TOP)/user/libhisi_qm
