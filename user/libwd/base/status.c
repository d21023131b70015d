// SPDX-License-Identifier: Apache-2.0
/* What each -errno means here, in words: errno's own words are often about something else. */
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <wd_request.h>

static const char *const words[] = {
	[0] = "success",
	[EPERM] = "not permitted, or the device is being reset",
	[ENOENT] = "no such section, device node or context",
	[EINTR] = "a signal handler ran",
	[EIO] = "the device failed or was reset, or the computation failed",
	[E2BIG] = "a buffer list has too many pieces",
	[EAGAIN] = "nothing is available now",
	[ENOMEM] = "out of memory",
	[EACCES] = "no permission for the device or the section",
	[EFAULT] = "a buffer is not mapped, or is read-only",
	[EBUSY] = "busy: no room, or still in use",
	[ENODEV] = "no such device, or the device is gone",
	[EINVAL] = "an argument is invalid",
	[ENFILE] = "the system has too many open files",
	[EMFILE] = "the process has too many open files",
	[EFBIG] = "more data than one request may have",
	[ENOSPC] = "dst is too small for the result",
	[EDEADLK] = "a callback may not make this call: it would wait for itself",
	[ENAMETOOLONG] = "the name is too long",
	[EBADMSG] = "the data is corrupt, or its tag or signature is wrong",
	[EOVERFLOW] = "the size is too large to be counted",
	[EUSERS] = "the section is full: it has no free slot",
	[EOPNOTSUPP] = "not supported by the devices present, or excluded by WD_PATH",
	[ENOBUFS] = "too many processes wait for the section",
	[ENOTCONN] = "no section was started, and no session exists",
	[ESHUTDOWN] = "the section was shut down, or the process has stopped using devices",
	[ETIME] = "the time to wait has passed",
	[ETIMEDOUT] = "the deadline of the request has passed, or the device did not answer in time",
	[EALREADY] = "already done: in this section, or poll threads already run",
	[ESTALE] = "inherited over fork(): it belongs to the parent process",
	[ECANCELED] = "cancelled by wd_sess_cancel()",
	[EDQUOT] = "the section grants no more contexts",
};

#define WORDS_NR	((int)(sizeof(words) / sizeof(words[0])))

const char *wd_status_str(int status)
{
	const char *other;

	if (status > 0)
		return "not a status: statuses are 0 or negative";
	if (status > -WORDS_NR && words[-status])
		return words[-status];
	/* The kernel's answers are handed on as they are. Not translated, and static. */
	other = strerrordesc_np(status > -4096 ? -status : 0);
	return other && status > -4096 ? other : "unknown status";
}
