// SPDX-License-Identifier: GPL-2.0-or-later
/* The tracepoints' bodies. */
#define CREATE_TRACE_POINTS
#include "qm_trace.h"
