// SPDX-License-Identifier: Apache-2.0
/*
 * Drivers of a PF and three VFs send messages at any time, each access to a register and each look of the device in
 * random order: every message arrives once, and no sender believes that one has arrived before it was read.
 * WD_TEST_SEED=N repeats one run.
 */
#include <stdlib.h>
#include "kselftest_harness.h"
#include "rig.h"

#define VFS		3
#define FNS		(VFS + 1)
#define ALL		0xffff
#define RUNS		300
#define MESSAGES	25	/* each function sends */
#define PATIENCE	40	/* polls of a sender that holds its mailbox */
#define STEPS		400000

/*
 * Each access is a step: a function that is at one returns, and goes on from there when it is called the next time. A
 * flow calls functions of that kind as its parts.
 */
#define BEGIN(part, t)		switch ((t)->part ## at) { case 0:
#define STEP(part, t)		do { (t)->part ## at = __LINE__; return; case __LINE__:; } while (0)
#define UNTIL(part, t, done) \
	do { (t)->part ## at = __LINE__; __attribute__((fallthrough)); case __LINE__: if (!(done)) return; } while (0)
#define END(part, t)		} (t)->part ## at = 0; (t)->part ## done = true

struct driver;

/* A mailbox command. */
struct command {
	int at;
	u32 w0;
	u64 base;
	bool done;
	u32 status;
	u64 result;
};

/* One flow of a driver, with the parts that it is composed of. */
struct task {
	struct driver *d;
	int at, part_at;
	bool done, part_done;
	struct command cmd;
	u32 i, to, polls, value, sends;
	u64 bits;
};

struct driver {
	struct rig *r;
	struct world *w;
	u32 fn;
	struct task *mailbox;	/* has the mailbox */
	u32 irqs;		/* seen */
	bool work;		/* the interrupt's work is to run */
	struct task send, receive;
};

/*
 * @holds: a sender holds the mailbox until its message is acknowledged, so two that send to each other wait in vain.
 * Otherwise it holds it for the command only, and its other task receives meanwhile.
 * @whole: the mailbox is written by one store. @get: DST has the bit for reading.
 */
struct world {
	u64 random;
	bool holds, whole, get;
	const char *wrong;
	u32 number[FNS];	/* of the last message from */
	u32 sent[FNS][FNS];	/* number of the last message from, to */
	u32 read[FNS][FNS];
	u32 in_vain;
	u32 talks;
	struct driver driver[FNS];
	struct rig rig[FNS];
};

static u32 rnd(struct world *w)
{
	u64 x = w->random += 0x9e3779b97f4a7c15ull;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ x >> 27) * 0x94d049bb133111ebull;
	return (u32)(x >> 32);
}

static void wrong(struct world *w, const char *what)
{
	if (!w->wrong)
		w->wrong = what;
}

static u64 message(u32 from, u32 number)
{
	return (u64)from << 56 | (u64)number << 32 | number;
}

/* --- parts of a driver's flows --- */

static void mailbox_write(struct driver *d, struct command *c)
{
	static const u32 regs[] = { QM_MB, QM_MB_DATA_L, QM_MB_DATA_H, QM_MB_LAST };
	const u32 words[] = { c->w0, (u32)c->base, (u32)(c->base >> 32), 0 };
	u32 n = d->w->whole ? 0 : c->at;

	do {
		rig_reg_set(d->r, regs[n], words[n]);
	} while (++n < 4 && d->w->whole);
	c->at = (int)n;
}

/* at: the next dword to write, then the next one to read. */
static bool command_done(struct task *t)
{
	struct driver *d = t->d;
	struct command *c = &t->cmd;

	if (c->done)
		return true;
	if (c->at < 4) {
		mailbox_write(d, c);
	} else if (c->at == 4) {
		c->status = rig_reg(d->r, QM_MB);
		c->at += !(c->status & QM_MB_BUSY);
	} else if (c->at == 5) {
		c->result = rig_reg(d->r, QM_MB_DATA_L);
		c->at++;
	} else {
		c->result |= (u64)rig_reg(d->r, QM_MB_DATA_H) << 32;
		c->done = true;
		if (c->status & QM_MB_STATUS_MASK)
			wrong(d->w, "a command failed");
	}
	return false;
}

/* The mailbox is free when the task has it. */
static void command_begin(struct task *t, u32 cmd, u32 queue, u64 base)
{
	t->cmd = (struct command){ .w0 = cmd | QM_MB_BUSY | queue << 16, .base = base };
}

static bool take_mailbox(struct task *t)
{
	if (!t->d->mailbox)
		t->d->mailbox = t;
	return t->d->mailbox == t;
}

static void note(struct task *t, u32 from)
{
	struct world *w = t->d->w;
	u32 to = t->d->fn;

	if (w->read[from][to] == w->sent[from][to])
		wrong(w, "a message came twice");
	else if (t->cmd.result != message(from, w->sent[from][to]))
		wrong(w, "a message has another's text");
	w->read[from][to] = w->sent[from][to];
}

static void fetch(struct task *t, u32 from)
{
	struct driver *d = t->d;

	BEGIN(part_, t);
	UNTIL(part_, t, take_mailbox(t));
	command_begin(t, QM_MB_CMD_DST | (d->w->get ? QM_MB_OP_GET : 0), from, 0);
	UNTIL(part_, t, command_done(t));
	d->mailbox = NULL;
	note(t, from);
	END(part_, t);
}

static void ack(struct task *t, u64 bits)
{
	struct rig *r = t->d->r;

	BEGIN(part_, t);
	if (t->d->fn == WDM_PF) {
		wdm_writeq(bits, r->bar2 + QM_IFC_INT_SOURCE_P);
		STEP(part_, t);
	}
	t->value = rig_reg(r, QM_IFC_INT_SOURCE_V);
	STEP(part_, t);
	rig_reg_set(r, QM_IFC_INT_SOURCE_V, t->value | 1);
	END(part_, t);
}

static void number(struct task *t)
{
	struct world *w = t->d->w;
	u32 fn = t->d->fn, i;

	w->number[fn]++;
	for (i = 0; i < FNS; i++)
		if (i == t->to || (t->to == ALL && i))
			w->sent[fn][i] = w->number[fn];
}

static bool is_acked(struct task *t)
{
	struct driver *d = t->d;
	bool acked;
	u32 i;

	if (d->fn != WDM_PF)
		acked = !(rig_reg(d->r, QM_IFC_INT_SET_V) & 1);
	else
		acked = !(rig_reg64(d->r, QM_IFC_READY_STATUS) & (t->to == ALL ? 0xeu : 1u << t->to));
	for (i = 0; acked && i < FNS; i++)
		if (d->w->read[d->fn][i] != d->w->sent[d->fn][i])
			wrong(d->w, "acknowledged before it was read");
	return acked;
}

/*
 * Acknowledged, or the sender has lost its patience: it lets the mailbox go, but waits before it sends anything else.
 */
static bool is_over(struct task *t)
{
	bool acked = is_acked(t);

	if (t->d->mailbox == t && (acked || ++t->polls > PATIENCE)) {
		t->d->mailbox = NULL;
		t->d->w->in_vain += !acked;
	}
	return acked;
}

static void send(struct task *t, u32 to)
{
	struct driver *d = t->d;

	BEGIN(part_, t);
	t->to = to;
	UNTIL(part_, t, take_mailbox(t));
	number(t);
	command_begin(t, QM_MB_CMD_SRC, t->to, message(d->fn, d->w->number[d->fn]));
	UNTIL(part_, t, command_done(t));
	if (!d->w->holds)
		d->mailbox = NULL;
	if (d->fn == WDM_PF) {
		t->value = rig_reg(d->r, QM_IFC_INT_CFG) & ~0x7fu;
		STEP(part_, t);
		rig_reg_set(d->r, QM_IFC_INT_CFG, t->value | (t->to == ALL ? 0x7f : t->to));
		STEP(part_, t);
	}
	rig_reg_set(d->r, d->fn == WDM_PF ? QM_IFC_INT_SET_P : QM_IFC_INT_SET_V, 1);
	t->polls = 0;
	STEP(part_, t);
	UNTIL(part_, t, is_over(t));
	END(part_, t);
}

#define RUN(t, part)	do { (t)->part_done = false; UNTIL(, t, (part, (t)->part_done)); } while (0)

/* The handler, which schedules the work; work that is scheduled while it runs, runs once more. */
static void handler(struct driver *d)
{
	if (d->irqs == d->r->irqs[WDM_IRQ_MSG])
		return;
	d->irqs = d->r->irqs[WDM_IRQ_MSG];
	d->work |= rig_reg(d->r, QM_IFC_INT_STATUS) & 1;
}

/* --- everyone sends to everyone --- */

static void send_any(struct task *t)
{
	struct driver *d = t->d;

	BEGIN(, t);
	for (t->sends = 0; t->sends < MESSAGES; t->sends++) {
		t->to = d->fn == WDM_PF ? rnd(d->w) % FNS : WDM_PF;
		t->to = d->fn == WDM_PF && !t->to ? ALL : t->to;
		RUN(t, send(t, t->to));
		STEP(, t);
	}
	d->w->talks++;
	UNTIL(, t, false);
	END(, t);
}

static void receive_any(struct task *t)
{
	struct driver *d = t->d;

	BEGIN(, t);
	UNTIL(, t, d->work);
	d->work = false;
	t->bits = d->fn == WDM_PF ? rig_reg64(d->r, QM_IFC_INT_SOURCE_P) : 1;
	STEP(, t);
	for (t->i = 0; t->i < FNS; t->i++) {
		if (!(t->bits >> t->i & 1))
			continue;
		RUN(t, fetch(t, t->i));
		STEP(, t);
		RUN(t, ack(t, 1ull << t->i));
	}
	END(, t);
}

/* --- the PF stops and starts all VFs, which answer; both poll with their interrupts masked --- */

static void order_all(struct task *t)
{
	struct driver *d = t->d;

	BEGIN(, t);
	for (t->sends = 0; t->sends < MESSAGES; t->sends++) {
		rig_reg_set(d->r, QM_IFC_INT_MASK, t->sends & 1 ? 0 : 1);
		STEP(, t);
		RUN(t, send(t, ALL));
		if (t->sends & 1)
			rig_reg_set(d->r, QM_IFC_INT_MASK, 1);
		UNTIL(, t, (rig_reg64(d->r, QM_IFC_INT_SOURCE_P) & 0xe) == 0xe);
		for (t->i = 1; t->i < FNS; t->i++) {
			RUN(t, fetch(t, t->i));
			STEP(, t);
		}
		RUN(t, ack(t, 0xe));
	}
	d->w->talks += FNS;
	UNTIL(, t, false);
	END(, t);
}

static void obey(struct task *t)
{
	struct driver *d = t->d;

	BEGIN(, t);
	UNTIL(, t, d->work);
	d->work = false;
	RUN(t, fetch(t, WDM_PF));
	RUN(t, ack(t, 0));
	rig_reg_set(d->r, QM_IFC_INT_MASK, 1);
	STEP(, t);
	RUN(t, send(t, WDM_PF));
	UNTIL(, t, rig_reg(d->r, QM_IFC_INT_SOURCE_V) == 1);
	RUN(t, fetch(t, WDM_PF));
	RUN(t, ack(t, 0));
	rig_reg_set(d->r, QM_IFC_INT_MASK, 0);
	STEP(, t);
	RUN(t, send(t, WDM_PF));
	END(, t);
}

/* --- the schedule --- */

static void world_begin(struct world *w, u64 seed)
{
	struct wdm_attr attr = { .functions = FNS };
	u32 fn;

	memset(w, 0, sizeof(*w));
	w->random = seed;
	for (fn = 0; fn < FNS; fn++) {
		struct driver *d = &w->driver[fn];

		if (fn)
			rig_attach(&w->rig[fn], &w->rig[0], fn);
		else
			rig_init_bare(&w->rig[0], &attr);
		*d = (struct driver){ .r = &w->rig[fn], .w = w, .fn = fn, .send.d = d, .receive.d = d };
		rig_reg_set(d->r, QM_IFC_INT_MASK, 0);
	}
	w->holds = rnd(w) & 1;
	w->whole = rnd(w) & 1;
	w->get = rnd(w) & 1;
}

static void world_end(struct world *w)
{
	u32 fn;

	for (fn = FNS; fn-- > 0;)
		rig_free(&w->rig[fn]);
}

/* Everyone has sent everything, and nothing is left: neither a message nor an interrupt. */
static bool is_finished(struct world *w)
{
	u32 from, to;

	if (w->talks < FNS)
		return false;
	for (from = 0; from < FNS; from++)
		for (to = 0; to < FNS; to++)
			if (w->read[from][to] != w->sent[from][to])
				return false;
	return true;
}

static bool go(struct world *w, void (*pf)(struct task *t), void (*vf)(struct task *t), void (*both)(struct task *t))
{
	u32 step, looks = 2 + rnd(w) % 12;

	for (step = 0; step < STEPS && !w->wrong && !is_finished(w); step++) {
		struct driver *d = &w->driver[rnd(w) % FNS];

		w->rig[0].now += 100;
		if (rnd(w) % looks == 0)
			rig_turn(&w->rig[0]);
		handler(d);
		if (rnd(w) & 1)
			(d->fn == WDM_PF ? pf : vf)(&d->send);
		else if (both)
			both(&d->receive);
	}
	if (!w->wrong && !is_finished(w))
		wrong(w, "no end");
	if (!w->wrong && rig_refusal(&w->rig[0]))
		wrong(w, wdm_refusal_name(rig_refusal(&w->rig[0])));
	return !w->wrong;
}

/* The runs' seeds, or one from the environment. */
static bool more(u64 *seed, u32 *run)
{
	const char *env = getenv("WD_TEST_SEED");

	*seed = env ? strtoull(env, NULL, 0) : *seed + 1;
	return (*run)++ < (env ? 1 : RUNS);
}

TEST(each_message_arrives_once)
{
	static struct world w;
	u32 run = 0, in_vain = 0;
	u64 seed = 1000;

	while (more(&seed, &run)) {
		world_begin(&w, seed);
		EXPECT_TRUE(go(&w, send_any, send_any, receive_any)) TH_LOG("seed %llu: %s", seed, w.wrong);
		in_vain += w.in_vain;
		world_end(&w);
	}
	if (run > 2)
		EXPECT_LT(0, in_vain);
}

TEST(orders_to_all_and_their_answers_arrive_once)
{
	static struct world w;
	u64 seed = 2000;
	u32 run = 0;

	while (more(&seed, &run)) {
		world_begin(&w, seed);
		EXPECT_TRUE(go(&w, order_all, obey, NULL)) TH_LOG("seed %llu: %s", seed, w.wrong);
		world_end(&w);
	}
}

TEST_HARNESS_MAIN
