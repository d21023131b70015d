// SPDX-License-Identifier: Apache-2.0
/* RSA, ECC and DH: the same calls on requests of three types. */
#include <errno.h>

#include "class.h"
#include "job.h"

#define CLASS rsa
#define CLASS_EXTRA .cb = NULL
#include "class.inc.h"

#define CLASS ecc
#define CLASS_EXTRA .extra = call->extra, .extra_len = call->extra_len
#include "class.inc.h"

#define CLASS dh
#define CLASS_EXTRA .key = call->extra, .key_len = call->extra_len
#include "class.inc.h"
