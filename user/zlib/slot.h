/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A session, and the failures of its device. A device that fails rests. After it has left or refused a session, the
 * rest takes ten seconds. After it has lost a request, made a wrong result, or failed many requests in a row, the rest
 * ends when one request was done after it; each one that isn't done makes the next rest longer.
 */
#ifndef WDZ_SLOT_H
#define WDZ_SLOT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>
#include <wd_comp.h>

/**
 * struct wdz_slot - a session of a process
 * @h: 0: there is none yet
 * @until: it rests until then; 0: it doesn't
 * @rest_count: rests that requests have caused, since one was done
 * @errors: requests that have failed in a row
 */
struct wdz_slot {
	_Atomic handle_t h;
	_Atomic time_t until;
	_Atomic unsigned int rest_count, errors;
};

/* wdz_slot_is_resting() - whether the device gets no requests now */
bool wdz_slot_is_resting(const struct wdz_slot *slot);

/*
 * wdz_slot_enter() - before a request: whether the session may have it
 * @rest_count: to be given to wdz_slot_leave()
 *
 * After a rest for lost or failed requests one request is let in until its result is known.
 */
bool wdz_slot_enter(struct wdz_slot *slot, unsigned int *rest_count);

/*
 * wdz_slot_leave() - the result of a request: 0, or a negative error. -ENODEV also if there is no session for it,
 * WDZ_SLOT_WRONG if verifying found that the device's result is wrong.
 */
#define WDZ_SLOT_WRONG	(-EBADE)
void wdz_slot_leave(struct wdz_slot *slot, unsigned int rest_count, int status);

#endif
