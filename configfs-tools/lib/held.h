/* SPDX-License-Identifier: Apache-2.0 */
/* The holders of slots of the sections that a plan must drain. */
#ifndef WDCTL_HELD_H
#define WDCTL_HELD_H

#include "facts.h"
#include "plan.h"

/**
 * held_read() - ask the kernel; adds a printable line for each section that has to be free and isn't.
 * Return: 0, or -errno if the kernel can't be asked.
 */
int held_read(struct wd_nl *f, const struct plan *p, struct text_list *held);

/** held_describe() - describe one section, and the processes that have contexts of it in @ctxs; NULL without memory. */
char *held_describe(const struct fact_section *s, const struct fact_ctxs *ctxs);

#endif
