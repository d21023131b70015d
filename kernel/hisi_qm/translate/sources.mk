# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
# The translation's sources, for every host that compiles it.

TR_SOURCES := access.c hpre.c list.c request.c sec.c zip.c
