// SPDX-License-Identifier: Apache-2.0
/* Opens sessions without a lock: of two threads that open one at the same time, one closes its own again. */
#include "class.h"
#include "generation.h"
#include "log.h"
#include "provider.h"
#include "session.h"

#include <wd_user.h>

/* The section is joined by the process that computes, not by the one that loaded the provider. */
static void section_join(struct wdp_provider *prov)
{
	unsigned int now = wdp_generation();
	char why[256];

	if (!prov->config.section[0] || atomic_exchange(&prov->started, now) == now)
		return;
	if (wd_user_start(prov->config.section) < 0 && wd_error_detail(0, why, sizeof(why)) > 0)
		wdp_log(prov, WDP_LOG_ERRORS, "section %s: %s", prov->config.section, why);
}

static handle_t session_open(const struct wdp_target *to, unsigned int op_type)
{
	char why[256];
	handle_t h;

	section_join(to->prov);
	h = to->make(to, op_type);
	if (h)
		return h;
	if (wd_error_detail(0, why, sizeof(why)) > 0)
		wdp_log(to->prov, WDP_LOG_ALL, "no session of %s: %s", to->class->name, why);
	return WDP_REFUSED;
}

handle_t wdp_session_get(const struct wdp_target *to, unsigned int op_type)
{
	_Atomic handle_t *at = &to->session->h[op_type];
	handle_t h = atomic_load(at), mine;

	if (!h) {
		mine = session_open(to, op_type);
		if (atomic_compare_exchange_strong(at, &h, mine))
			h = mine;
		else if (mine != WDP_REFUSED)
			to->class->free(mine);
	}
	return h == WDP_REFUSED ? 0 : h;
}

void wdp_session_close(struct wdp_session *s, const struct wdp_class *class)
{
	unsigned int i;
	handle_t h;

	for (i = 0; i < 2; i++) {
		h = atomic_exchange(&s->h[i], 0);
		if (h && h != WDP_REFUSED)
			class->free(h);
	}
}
