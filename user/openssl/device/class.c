// SPDX-License-Identifier: Apache-2.0
/* The same calls on requests of several types. */
#include <errno.h>

#include "class.h"
#include "job.h"

#define CLASS rsa
#define CLASS_EXTRA .op = call->op
#include "class.inc.h"

#define CLASS ecc
#define CLASS_EXTRA .op = call->op, .extra = call->extra, .extra_len = call->extra_len
#include "class.inc.h"

#define CLASS dh
#define CLASS_EXTRA .op = call->op, .key = call->extra, .key_len = call->extra_len
#include "class.inc.h"

#define CLASS aead
#define CLASS_EXTRA \
	.op = call->op, .iv = call->extra, .iv_len = call->extra_len, .mac = call->mac, .mac_len = call->mac_len, \
	.assoc_len = call->assoc_len
#include "class.inc.h"

#define CLASS digest
#define CLASS_EXTRA .cb = NULL
#include "class.inc.h"

/* The iv is only written if a request asks for it. */
#define CLASS cipher
#define CLASS_EXTRA .op = call->op, .iv = (void *)call->extra, .iv_len = call->extra_len
#include "class.inc.h"
