/* SPDX-License-Identifier: Apache-2.0 */
/* Devices of this process: whether there is one, sessions, requests. */
#ifndef WDZ_DEVICE_H
#define WDZ_DEVICE_H

#include <stdatomic.h>
#include <stdbool.h>

#include "library.h"

/* --- lookup.c --- */

/*
 * Whether there is a device for streams. A process looks once. As long as it finds none it looks again, after ten
 * seconds and then ever more rarely. In between the call costs a load and a comparison, without devices also a look at
 * the clock.
 */
bool wdz_device_here(void);

/*
 * Whether a device may have a caller's stream: there is a device, and the caller is no part of WarpDrive. WarpDrive's
 * libraries and its emulator use zlib where no device works, and would wait for themselves.
 */
bool wdz_device_may(const void *caller);

/* The number of devices over which sessions are spread, 1 .. WDZ_SESSIONS. */
#define WDZ_SESSIONS	8u
unsigned int wdz_devices(void);

/* --- device.c --- */

struct wdz_slot;

/**
 * struct wdz_request - one part of a stream, given to a device
 * @arg: the request; its buffers are the device's until @done
 * @generation: the process that has submitted it; a child of that never gets the result
 * @slot, @rest_count: for wdz_slot_leave(), with the result
 * @done: the request has ended: @arg is the caller's again
 */
struct wdz_request {
	struct wd_comp_arg arg;
	unsigned int generation, rest_count;
	struct wdz_slot *slot;
	_Atomic bool done;
};

/*
 * The room that a part of len bytes needs, with a window of 1 << window_bits bytes (12 .. 15); 0: no device takes parts
 * now.
 */
size_t wdz_parts_bound(int window_bits, unsigned long turn, size_t len);

/* A new session for one stream that is decompressed; 0: none can be had, or devices that have lost streams rest. */
handle_t wdz_session_stream(enum wd_comp_alg_type alg);
/* The session's stream has ended with that error. */
void wdz_stream_failed(enum wd_comp_alg_type alg, int err);
void wdz_session_close(handle_t sess);

/* wdz_submit() - give a part to the device whose turn it is, or to the next; false: none takes it now. */
bool wdz_submit(struct wdz_request *r, int window_bits, unsigned long turn);

/* wdz_request_ended() - whether a request has ended, or never will in this process. Doesn't wait. */
bool wdz_request_ended(const struct wdz_request *r);

/* wdz_wait() - wait until a request has ended; false: it never will in this process. Its deadline limits the wait. */
bool wdz_wait(struct wdz_request *r);

/* wdz_decompress() - a whole buffer, by a device; false: it isn't done. */
bool wdz_decompress(enum wd_comp_alg_type alg, struct wd_comp_arg *arg);
int wdz_strm_decompress(handle_t sess, struct wd_comp_strm *strm);

#endif
