# SPDX-License-Identifier: Apache-2.0
# The translation, the model, and what runs a request through both: for the tests and for the fuzzer.

TWIN_FOLDERS := selftests/translate kernel/hisi_qm/translate model user/emulator/preload user/emulator
TWIN_SOURCES := selftests/translate/twin.c selftests/translate/good.c \
	$(TR_SOURCES:%=kernel/hisi_qm/translate/%) \
	$(addprefix user/emulator/preload/,engine_hpre.c engine_sec.c engine_zip.c) \
	$(WDM_SOURCES:%=model/%)
