/* SPDX-License-Identifier: Apache-2.0 */
/* Groups of Diffie-Hellman. */
#ifndef WDP_DH_H
#define WDP_DH_H

struct wdp_key;
struct wdp_target;

/* wdp_dh_target() - the session for key agreement; only if the key's group is not negative. */
struct wdp_target wdp_dh_target(struct wdp_key *key);

#endif
