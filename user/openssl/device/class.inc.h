/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One class. Define before including it, once for each class:
 *
 *	CLASS		its name in libwd
 *	CLASS_EXTRA	initializers of the members that not all classes have, from "call"
 */
#define CLASS_PASTE(a, b, c)	a##b##c
#define CLASS_NAME(a, b, c)	CLASS_PASTE(a, b, c)
#define CLASS_OWN(suffix)	CLASS_NAME(CLASS, _, suffix)
#define CLASS_WD(suffix)	CLASS_NAME(wd_, CLASS, suffix)
#define CLASS_STRING(a)		#a
#define CLASS_TEXT(a)		CLASS_STRING(a)

static struct CLASS_WD(_arg) CLASS_OWN(request)(const struct wdp_call *call, size_t *len)
{
	*len = call->dst_len;
	return (struct CLASS_WD(_arg)){
		.src = call->src, .src_len = call->src_len, .dst = call->dst, .dst_len = call->dst_len ? len : NULL,
		CLASS_EXTRA
	};
}

/* A result of another length would be no result. */
static struct wdp_result CLASS_OWN(result)(const struct CLASS_WD(_arg) *arg, size_t wanted)
{
	return (struct wdp_result){
		.status = arg->status ? arg->status : !wanted || *arg->dst_len == wanted ? 0 : -EIO,
		.path = arg->path, .reason = arg->path_reason,
	};
}

static void CLASS_OWN(sync)(handle_t h, const struct wdp_call *call, struct wdp_result *result)
{
	size_t len;
	struct CLASS_WD(_arg) arg = CLASS_OWN(request)(call, &len);

	CLASS_WD(_sync)(h, &arg);
	*result = CLASS_OWN(result)(&arg, call->dst_len);
}

static void CLASS_OWN(ended)(struct CLASS_WD(_arg) *arg, void *cb_param)
{
	struct wdp_job *job = cb_param;

	wdp_job_done(job, CLASS_OWN(result)(arg, job->wanted));
}

static int CLASS_OWN(async)(handle_t h, const struct wdp_call *call, struct wdp_job *job)
{
	struct CLASS_WD(_arg) *arg = &job->arg.CLASS;

	*arg = CLASS_OWN(request)(call, &job->len);
	arg->cb = CLASS_OWN(ended);
	arg->cb_param = job;
	return CLASS_WD(_async)(h, arg, NULL);
}

const struct wdp_class CLASS_NAME(wdp_class_, CLASS, ) = {
	.name = CLASS_TEXT(CLASS),
	.free = CLASS_WD(_free_sess),
	.wait = CLASS_WD(_wait),
	.sync = CLASS_OWN(sync),
	.async = CLASS_OWN(async),
};

#undef CLASS_PASTE
#undef CLASS_NAME
#undef CLASS_OWN
#undef CLASS_WD
#undef CLASS_STRING
#undef CLASS_TEXT
#undef CLASS
#undef CLASS_EXTRA
