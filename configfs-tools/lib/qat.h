/* SPDX-License-Identifier: Apache-2.0 */
/* The words of Intel QAT's device files that the file of sections hasn't: what they ask for is done otherwise here. */
#ifndef WDCTL_QAT_H
#define WDCTL_QAT_H

#include <stdbool.h>
#include <stddef.h>

/** qat_key() - what to do instead of that key of a section, "" for nothing; NULL: it is no key of QAT's. */
const char *qat_key(const char *key, size_t len);

/** qat_is_device_section() - whether QAT has settings of the device or of the kernel in the section of that name. */
bool qat_is_device_section(const char *name);

#endif
