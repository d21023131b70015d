# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
# Sources of the model, for every host that compiles it.

WDM_SOURCES := checksum.c device.c doorbell.c event.c fault.c inflate.c inflate_state.c job.c mailbox.c \
	payload.c queue.c regs.c zip.c zip_compress.c zip_decompress.c
