/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vm_flags_set() for kernels before 6.3, where vm_flags was assigned directly. */
#ifndef WD_SHIM_LINUX_MM_H
#define WD_SHIM_LINUX_MM_H

#include_next <linux/mm.h>

static inline void vm_flags_set(struct vm_area_struct *vma, vm_flags_t flags)
{
	mmap_assert_write_locked(vma->vm_mm);
	vma->vm_flags |= flags;
}

static inline void vm_flags_clear(struct vm_area_struct *vma, vm_flags_t flags)
{
	mmap_assert_write_locked(vma->vm_mm);
	vma->vm_flags &= ~flags;
}

#endif
