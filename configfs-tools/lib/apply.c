// SPDX-License-Identifier: Apache-2.0
/* Takes the steps of a plan in order; if one fails, undoes the steps before it, or those of the same object. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "apply.h"
#include "escape.h"

/* Intervals between checks: short at first, which is enough for most drains, then longer. */
#define DRAIN_LOOK_MIN_MS 1
#define DRAIN_LOOK_MAX_MS 100
/* Undoing holds the lock, so it waits for less time than a requested drain. */
#define UNDO_WAIT_MS 5000

struct applier {
	struct tree *t;
	const struct plan *p;
	const struct apply_options *o;
	long deadline;
	int stops;	/* stops that have taken effect */
};

static long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static int live_write(struct applier *a, const char *section, const char *value)
{
	return tree_write(a->t, OBJECT_SECTION, section, attr_get(OBJECT_SECTION, SECTION_LIVE)->file, value);
}

static int stops(const struct applier *a)
{
	return a->o->stops ? a->o->stops(a->o->arg) : 0;
}

static int drain_wait(struct applier *a, const char *section)
{
	int look = DRAIN_LOOK_MIN_MS, ret;
	enum section_state state;

	for (;;) {
		ret = tree_state(a->t, section, &state, NULL);
		if (ret || state == SECTION_CONFIGURED)
			return ret;
		if (stops(a) > a->stops)
			return -EINTR;
		if (now_ms() >= a->deadline)
			return -ETIMEDOUT;
		poll(NULL, 0, look);
		look = look < DRAIN_LOOK_MAX_MS ? 2 * look : DRAIN_LOOK_MAX_MS;
	}
}

static int step_do(struct applier *a, const struct step *s)
{
	int ret;

	switch (s->op) {
	case STEP_MAKE:
		return tree_make(a->t, s->name);
	case STEP_SET:
		return tree_write(a->t, s->kind, s->name, s->attr->file, s->value);
	case STEP_LIVE:
		return live_write(a, s->name, "1");
	case STEP_DRAIN:
		return live_write(a, s->name, "0");
	case STEP_DRAIN_WAIT:
		ret = live_write(a, s->name, "0");
		return ret ? ret : drain_wait(a, s->name);
	case STEP_REVOKE:
		return live_write(a, s->name, "revoke");
	case STEP_REMOVE:
		return tree_remove(a->t, s->name);
	}
	return -EINVAL;
}

/* The kernel's reason for its last refusal, printable, or NULL. */
static char *reason_read(struct applier *a, const char *section)
{
	enum section_state state;
	char *reason, *text;

	if (tree_state(a->t, section, &state, &reason) || !reason)
		return NULL;
	text = escape_new(reason);
	free(reason);
	return text;
}

/* The kernel's reason for the failure of a step. Other refusals don't update it, so it may be an older one. */
static char *reason_of(struct applier *a, const struct step *s, int error)
{
	if (s->op != STEP_LIVE && (s->kind != OBJECT_SECTION || error != -ENOSPC))
		return NULL;
	return reason_read(a, s->name);
}

/* Restores a removed section as configured; undoing the drain takes it live. */
static int remake(struct applier *a, const struct object *old)
{
	const struct attr *attr;
	size_t i;
	int ret;

	ret = tree_make(a->t, old->name);
	for (i = 0; i < SECTION_LIVE && !ret; i++) {
		attr = attr_get(OBJECT_SECTION, i);
		if (old->value[i] && strcmp(old->value[i], attr->initial))
			ret = tree_write(a->t, OBJECT_SECTION, old->name, attr->file, old->value[i]);
	}
	return ret;
}

static int step_undo(struct applier *a, const struct step *s)
{
	int ret;

	switch (s->op) {
	case STEP_MAKE:
		return tree_remove(a->t, s->name);
	case STEP_SET:
		/* Undoing the new section removes all its settings. */
		if (s->kind == OBJECT_SECTION && !s->old)
			return 0;
		return s->was ? tree_write(a->t, s->kind, s->name, s->attr->file, s->was) : -ENODATA;
	case STEP_LIVE:
		/* A process may have attached in the meantime. */
		ret = live_write(a, s->name, "0");
		return ret ? ret : drain_wait(a, s->name);
	case STEP_DRAIN:
	case STEP_DRAIN_WAIT:
	case STEP_REVOKE:
		/* A section that was already draining continues to drain. */
		if (s->old->state != SECTION_IS_LIVE)
			return 0;
		/* A section that names no devices would ask for more than it had, which may not be free. */
		if (s->old->others)
			tree_write(a->t, OBJECT_SECTION, s->name, attr_get(OBJECT_SECTION, SECTION_DEVICES)->file,
				   s->old->members);
		return live_write(a, s->name, "1");
	case STEP_REMOVE:
		return remake(a, s->old);
	}
	return -EINVAL;
}

static void undo_failed(struct applier *a, struct apply_result *res, const struct step *s, int error)
{
	char *text = plan_describe(s), *reason = NULL;

	/* A drain can't be cancelled while slots are held. */
	if (s->op == STEP_LIVE && (error == -EINTR || error == -ETIMEDOUT)) {
		text_list_add(&res->left, "section %s: still draining: processes hold its slots%s", s->name,
			      error == -EINTR ? ", and the wait for them was interrupted" : "");
	} else if ((s->op == STEP_DRAIN || s->op == STEP_DRAIN_WAIT) && error == -EBUSY) {
		reason = reason_read(a, s->name);
		text_list_add(&res->left, "section %s: still draining%s%s", s->name, reason ? ": " : "",
			      reason ? reason : "");
	} else {
		text_list_add(&res->left, "%s: can't be undone: %s", text ? text : s->name, strerror(-error));
	}
	free(reason);
	free(text);
}

/* A failed step changed nothing, except that a drain whose wait failed has begun. */
static void undo_failing(struct applier *a, struct apply_result *res, const struct step *s, int error)
{
	int ret;

	if (s->op != STEP_DRAIN_WAIT || (error != -ETIMEDOUT && error != -EINTR))
		return;
	ret = step_undo(a, s);
	if (ret)
		undo_failed(a, res, s, ret);
}

static void undo_step(struct applier *a, struct apply_result *res, const struct step *s)
{
	int ret = step_undo(a, s);

	if (ret)
		undo_failed(a, res, s, ret);
	else
		res->undone++;
	if (!ret && s->op == STEP_REVOKE && s->old->state == SECTION_IS_LIVE)
		text_list_add(&res->left, "section %s: live again, but its revoked slots stay lost", s->name);
}

/* The waits of undoing have a deadline of their own. */
static long undo_deadline(const struct applier *a)
{
	return now_ms() + (a->o->wait_ms < UNDO_WAIT_MS ? a->o->wait_ms : UNDO_WAIT_MS);
}

static void undo_all(struct applier *a, struct apply_result *res)
{
	size_t i;

	undo_failing(a, res, &a->p->step[res->done], res->error);
	a->deadline = undo_deadline(a);
	a->stops = stops(a);
	for (i = res->done; i--;)
		undo_step(a, res, &a->p->step[i]);
}

int apply_plan(struct tree *t, const struct plan *p, const struct apply_options *o,
	       struct apply_result *res)
{
	struct applier a = { .t = t, .p = p, .o = o, .deadline = now_ms() + o->wait_ms };
	const struct step *failed;

	memset(res, 0, sizeof(*res));
	for (; res->done < p->steps; res->done++) {
		if (stops(&a) > a.stops)
			res->error = -EINTR;
		else
			res->error = step_do(&a, &p->step[res->done]);
		if (res->error)
			break;
		if (o->done)
			o->done(o->arg, res->done);
	}
	if (res->error) {
		failed = &p->step[res->done];
		res->reason = reason_of(&a, failed, res->error);
		undo_all(&a, res);
	}
	return res->error;
}

static int step_try(struct applier *a, const struct step *s)
{
	if (stops(a))
		return -EINTR;
	if (s->op == STEP_DRAIN_WAIT && a->o->held && a->o->held(a->o->arg, s->name))
		return -ETIMEDOUT;
	return step_do(a, s);
}

/* Step @at has failed: undoes those of its object before it, and leaves out those after it. */
static void leave_object(struct applier *a, struct apply_result *res, size_t at, int error, bool *left_out)
{
	const struct step *s = &a->p->step[at];
	char *text = plan_describe(s), *reason = reason_of(a, s, error);
	long deadline = a->deadline;
	size_t i;

	if (text_list_add(&res->failed, "%s: %s%s%s", text ? text : s->name, apply_error(s, error),
			  reason ? ": " : "", reason ? reason : ""))
		res->error = -ENOMEM;
	free(reason);
	free(text);
	undo_failing(a, res, s, error);
	a->deadline = undo_deadline(a);
	a->stops = stops(a);
	for (i = at; i--;)
		if (step_same_object(&a->p->step[i], s))
			undo_step(a, res, &a->p->step[i]);
	a->deadline = deadline;
	for (i = at; i < a->p->steps; i++)
		left_out[i] |= step_same_object(&a->p->step[i], s);
}

int apply_each(struct tree *t, const struct plan *p, const struct apply_options *o, struct apply_result *res)
{
	struct applier a = { .t = t, .p = p, .o = o, .deadline = now_ms() + o->wait_ms };
	bool *left_out = calloc(p->steps + 1, sizeof(*left_out));
	size_t i;
	int ret;

	memset(res, 0, sizeof(*res));
	if (!left_out)
		return res->error = -ENOMEM;
	for (i = 0; i < p->steps; i++) {
		if (left_out[i])
			continue;
		ret = step_try(&a, &p->step[i]);
		if (ret) {
			res->error = res->error ? res->error : ret;
			leave_object(&a, res, i, ret, left_out);
			continue;
		}
		res->done++;
		if (o->done)
			o->done(o->arg, i);
	}
	res->done -= res->undone;
	free(left_out);
	return res->error;
}

void apply_result_free(struct apply_result *res)
{
	free(res->reason);
	text_list_free(&res->left);
	text_list_free(&res->failed);
	memset(res, 0, sizeof(*res));
}

/* The meaning of the kernel's errors here; strerror()'s "No space left on device" is about disks. */
static const struct {
	int error;
	enum step_op op;
	enum object_kind kind;
	const char *text;
} meanings[] = {
	{ -ETIMEDOUT, STEP_DRAIN_WAIT, OBJECT_SECTION,
	  "processes hold its slots; use --wait to wait longer, or --revoke to take them away" },
	{ -ENOENT, STEP_SET, OBJECT_SECTION, "this kernel has no such attribute" },
	{ -ENOENT, STEP_SET, OBJECT_DEVICE, "the device is gone, or this kernel has no such attribute" },
	{ -EBUSY, STEP_SET, OBJECT_SECTION, "another program has taken it live meanwhile" },
	{ -EBUSY, STEP_SET, OBJECT_DEVICE, "in use by a live section" },
	{ -ERANGE, STEP_SET, OBJECT_SECTION, "out of this kernel's range" },
	{ -ERANGE, STEP_SET, OBJECT_DEVICE, "out of this kernel's range" },
	{ -EBUSY, STEP_LIVE, OBJECT_SECTION, "the section is draining" },
	{ -ENOSPC, STEP_SET, OBJECT_SECTION, "not enough free contexts" },
	{ -ENOSPC, STEP_LIVE, OBJECT_SECTION, "not enough free contexts" },
	{ -ENODEV, STEP_LIVE, OBJECT_SECTION, "it has no device" },
	{ -EINVAL, STEP_LIVE, OBJECT_SECTION, "this kernel doesn't accept its contexts and devices" },
	{ -EEXIST, STEP_MAKE, OBJECT_SECTION, "another program has made it meanwhile" },
	{ -EBUSY, STEP_REMOVE, OBJECT_SECTION, "another program has taken it live meanwhile" },
};

const char *apply_error(const struct step *s, int error)
{
	size_t i;

	if (error == -EINTR)
		return "interrupted";
	/* For an attribute that can change while live, EBUSY has only one reason. */
	if (error == -EBUSY && s->op == STEP_SET && s->kind == OBJECT_SECTION && s->attr->while_live)
		return "in use: the slots named above must be free first";
	if (s->op == STEP_SET && s->attr->type == VALUE_DOORBELLS && error == -EBUSY)
		return "doorbells are mapped, or not one section alone has contexts; the kernel log has the reason";
	if (s->op == STEP_SET && s->attr->type == VALUE_DOORBELLS && error == -EOPNOTSUPP)
		return "the device can't have these doorbells; the kernel log has the reason";
	if (s->op == STEP_SET && s->attr->type == VALUE_MEMORY && error == -EOPNOTSUPP)
		return "the device's driver can't mediate its queues; the kernel log has the reason";
	for (i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++)
		if (meanings[i].error == error && meanings[i].op == s->op && meanings[i].kind == s->kind)
			return meanings[i].text;
	return strerror(-error);
}
