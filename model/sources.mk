# SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
# The model's sources, for every host that compiles it.

WDM_SOURCES := access.c bignum.c block.c checksum.c curve.c device.c dfx.c doorbell.c event.c fault.c fault_text.c \
	generation.c ghash.c hash.c hpre.c hpre_decode.c hpre_ecc.c hpre_rsa.c hpre_sm2.c inflate.c \
	inflate_state.c job.c mailbox.c mapping.c mark.c message.c migrate.c modes.c payload.c queue.c record.c \
	regs.c sec.c sec_aead.c sec_cipher.c sec_data.c sec_decode.c sec_digest.c search.c shaper.c sm3.c sm4.c \
	zip.c zip_compress.c zip_decompress.c zip_lz4.c zip_lz77.c zip_pieces.c zip_req.c
