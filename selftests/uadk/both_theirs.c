// SPDX-License-Identifier: Apache-2.0
/* The half of test_both that includes UADK's headers. */
#include <dlfcn.h>
#include <zlib.h>

#include "uadk/wd_comp.h"
#include "uadk/wd_sched.h"

#include "both.h"

int both_theirs(void *lib, const void *plain, size_t len)
{
	union { void *p; __typeof__(&wd_comp_init2_) f; } init = { .p = dlsym(lib, "wd_comp_init2_") };
	union { void *p; __typeof__(&wd_comp_uninit2) f; } uninit = { .p = dlsym(lib, "wd_comp_uninit2") };
	union { void *p; __typeof__(&wd_comp_alloc_sess) f; } alloc = { .p = dlsym(lib, "wd_comp_alloc_sess") };
	union { void *p; __typeof__(&wd_comp_free_sess) f; } free_sess = { .p = dlsym(lib, "wd_comp_free_sess") };
	union { void *p; __typeof__(&wd_do_comp_sync) f; } sync = { .p = dlsym(lib, "wd_do_comp_sync") };
	struct wd_comp_sess_setup setup = { .alg_type = WD_ZLIB, .comp_lv = WD_COMP_L6, .win_sz = WD_COMP_WS_32K };
	unsigned char packed[6000], back[6000];
	struct wd_comp_req req = { .src = (void *)plain, .src_len = (__u32)len, .dst = packed, .dst_len = 6000 };
	uLongf n = sizeof(back);
	handle_t h;
	int ret;

	if (!init.p || !uninit.p || !alloc.p || !free_sess.p || !sync.p)
		return 1;
	if (init.f("zlib", SCHED_POLICY_RR, TASK_MIX, NULL))
		return 2;
	h = alloc.f(&setup);
	ret = h ? sync.f(h, &req) : 3;
	if (h)
		free_sess.f(h);
	uninit.f();
	return ret ? ret : uncompress(back, &n, packed, req.dst_len) != Z_OK || n != len;
}
