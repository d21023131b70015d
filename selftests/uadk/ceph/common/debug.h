/* SPDX-License-Identifier: Apache-2.0 */
/* As much of Ceph's log and configuration as its compressor for UADK uses. */
#ifndef CEPH_STAND_IN_DEBUG_H
#define CEPH_STAND_IN_DEBUG_H

#include <iostream>
#include <mutex>
#include <sstream>
#include <string>

struct CephContext {
	struct {
		template <class T> T get_val(const std::string &) const { return contexts; }
		unsigned int contexts;
	} _conf;
};
extern CephContext *g_ceph_context;

/* Errors are lines of standard error; what is for debugging goes nowhere. */
#define STAND_IN_LOG(shown) do { \
	bool show_ = (shown); \
	std::ostringstream line_; \
	std::ostream *_dout = &line_; \
	_prefix(_dout)
#define dout(level)	STAND_IN_LOG((level) < 0)
#define derr		STAND_IN_LOG(true)
#define dendl		"\n"; \
	if (show_) \
		std::cerr << line_.str(); \
} while (0)

#endif
