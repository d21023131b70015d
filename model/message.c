// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/*
 * Messages between the PF and its VFs. The sender writes the text by a mailbox command (SRC) and then raises the
 * receiver's interrupt by a register; the receiver reads the text by a mailbox command (DST) and acknowledges.
 *
 * An acknowledgement is a write of ones to a register that shows ones already, so in polled memory it may change
 * nothing. Therefore DST clears what the receiver will write, where that is possible (a VF's register), and elsewhere
 * tells which messages an acknowledgement can mean (the PF's register).
 */
#include "internal.h"

#define WDM_TARGET_ALL		0x7fu	/* in QM_IFC_INT_CFG */
#define WDM_MB_TARGET_ALL	0xffffu	/* in the mailbox */

static u64 wdm_bit(const struct wdm_function *f)
{
	return 1ull << f->index;
}

/* Bits of all VFs whose messages have that state; @in: messages to the VFs, else from them. */
static u64 wdm_links(const struct wdm_device *dev, bool in, bool unfetched)
{
	u64 bits = 0;
	u32 i;

	for (i = 1; i < dev->attr.functions; i++) {
		const struct wdm_link *link = in ? &dev->fns[i].message.in : &dev->fns[i].message.out;

		if (link->sent && !(unfetched && link->fetched))
			bits |= 1ull << i;
	}
	return bits;
}

/* A message that its receiver has fetched stays until its acknowledgement; any other is replaced. */
static void wdm_link_send(struct wdm_link *link, u64 text)
{
	if (link->sent && link->fetched) {
		link->more = true;
		link->next = text;
		return;
	}
	link->sent = true;
	link->text = text;
}

/* Returns true when the next message has taken the place of the one that is acknowledged. */
static bool wdm_link_ack(struct wdm_link *link)
{
	bool more = link->more;

	*link = (struct wdm_link){ .sent = more, .text = link->next };
	return more;
}

/* The register that says whether a message is pending and not masked, and the interrupt that follows it. */
static void wdm_message_signal(struct wdm_device *dev, struct wdm_function *f, bool pending, bool unfetched)
{
	struct wdm_message *m = &f->message;
	bool status = pending && !(wdm_reg_read(f, QM_IFC_INT_MASK) & 1);

	if (status != m->status) {
		m->status = status;
		wdm_reg_write(f, QM_IFC_INT_STATUS, status);
		/* A handler that looks while it is masked finds nothing, so the end of the mask raises it again. */
		m->ring |= !status;
	}
	if (!status || !unfetched || !m->ring)
		return;
	m->ring = false;
	dev->worked = true;
	wdm_irq(dev, f, dev->attr.message_vector);
}

static void wdm_pf_signal(struct wdm_device *dev, struct wdm_function *pf)
{
	u64 published = pf->message.published;

	if (published || pf->message.status)
		wdm_message_signal(dev, pf, published, published & wdm_links(dev, false, true));
}

/* --- the PF's registers about VFs --- */

/* Before a command is answered: a PF that looks at once must not take its message for acknowledged. */
static void wdm_ready_show(struct wdm_device *dev)
{
	struct wdm_function *pf = &dev->fns[WDM_PF];
	u64 ready = wdm_links(dev, true, false) | pf->message.targets;

	if (pf->attached && ready != pf->message.ready) {
		pf->message.ready = ready;
		wdm_reg_write64(pf, QM_IFC_READY_STATUS, ready);
	}
}

static void wdm_source_write(struct wdm_function *pf, u64 bits)
{
	struct wdm_message *m = &pf->message;

	m->ring |= (bits & ~m->published) != 0;
	m->published = bits;
	wdm_reg_write64(pf, QM_IFC_INT_SOURCE_P, bits);
}

/*
 * May the PF be told of more messages? Its handler reads the register once for each interrupt, and finds there what it
 * has written itself until the device looks. So with interrupts, all messages that it knows of are acknowledged before
 * the next ones appear. A PF whose interrupt is masked waits for several messages to be there at the same time, and
 * fetches and acknowledges all of them together.
 */
static bool wdm_source_may_grow(const struct wdm_device *dev, const struct wdm_function *pf)
{
	u64 known = pf->message.published;

	return !known || ((wdm_reg_read(pf, QM_IFC_INT_MASK) & 1) && !(known & ~wdm_links(dev, false, true)));
}

/*
 * Shows which VFs have sent something. A value that isn't the device's is the first half of an acknowledgement and must
 * not be overwritten; the second half, a write to the other register, follows.
 */
static void wdm_source_show(struct wdm_device *dev)
{
	struct wdm_function *pf = &dev->fns[WDM_PF];
	struct wdm_message *m = &pf->message;
	u64 sent = wdm_links(dev, false, false), bits;

	if (!pf->attached)
		return;
	bits = wdm_source_may_grow(dev, pf) ? sent : sent & m->published;
	if (bits != m->published && wdm_reg_read64(pf, QM_IFC_INT_SOURCE_P) == m->published)
		wdm_source_write(pf, bits);
	m->late = m->published != sent;
}

/* --- acknowledgements --- */

static void wdm_out_acked(struct wdm_function *vf)
{
	if (wdm_link_ack(&vf->message.out))
		return;
	/* With a text that isn't sent yet, a 1 found there is the order to send it. */
	if (vf->attached && !vf->message.targets)
		wdm_reg_write(vf, QM_IFC_INT_SET_V, 0);
}

/*
 * A value other than what the device has shown is what the PF wrote, so it means just these bits. Otherwise the PF has
 * written the same value, or an older one that the device has replaced: it means the bits that it has fetched.
 */
static void wdm_pf_ack_poll(struct wdm_device *dev, struct wdm_function *pf)
{
	u64 value, acked = 0;
	bool written;
	u32 i;

	if (!wdm_reg_read(pf, QM_IFC_INT_SOURCE_V))
		return;
	/* Cleared first: the acknowledgement after this one is then seen by the next look. */
	wdm_reg_write(pf, QM_IFC_INT_SOURCE_V, 0);
	value = wdm_reg_read64(pf, QM_IFC_INT_SOURCE_P);
	written = value != pf->message.published;
	for (i = 1; i < dev->attr.functions; i++) {
		const struct wdm_link *out = &dev->fns[i].message.out;

		if ((value >> i & 1) && out->sent && (written || out->fetched)) {
			wdm_out_acked(&dev->fns[i]);
			acked |= 1ull << i;
		}
	}
	/*
	 * A next message of the same VF, as after a reset of that VF, is a new one: it waits like those of other VFs.
	 */
	wdm_source_write(pf, pf->message.published & ~acked & wdm_links(dev, false, false));
	wdm_source_show(dev);
	dev->worked = true;
}

/* A VF's register shows 1 from the message on until DST, and not any more from DST on until the acknowledgement. */
static void wdm_vf_ack_poll(struct wdm_device *dev, struct wdm_function *vf)
{
	struct wdm_link *in = &vf->message.in;
	u32 value = wdm_reg_read(vf, QM_IFC_INT_SOURCE_V);

	if (in->sent && !in->fetched) {
		if (value != 1)
			wdm_reg_write(vf, QM_IFC_INT_SOURCE_V, 1);
		return;
	}
	if (!value)
		return;
	wdm_reg_write(vf, QM_IFC_INT_SOURCE_V, 0);
	if (!(value & 1) || !in->sent)
		return;
	dev->worked = true;
	if (wdm_link_ack(in)) {
		vf->message.ring = true;
		wdm_reg_write(vf, QM_IFC_INT_SOURCE_V, 1);
	}
	wdm_ready_show(dev);
}

/* --- sending --- */

static void wdm_pf_send(struct wdm_device *dev, struct wdm_function *pf)
{
	u64 targets = pf->message.targets;
	u32 i;

	for (i = 1; i < dev->attr.functions; i++) {
		struct wdm_function *vf = &dev->fns[i];

		if (!(targets >> i & 1))
			continue;
		wdm_link_send(&vf->message.in, pf->message.text);
		vf->message.ring = true;
		if (!vf->message.in.fetched)
			wdm_reg_write(vf, QM_IFC_INT_SOURCE_V, 1);
	}
	pf->message.targets = 0;
	wdm_ready_show(dev);
}

static void wdm_pf_send_poll(struct wdm_device *dev, struct wdm_function *pf)
{
	u32 set = wdm_reg_read(pf, QM_IFC_INT_SET_P), to = pf->message.to, cfg;

	if (!set)
		return;
	cfg = wdm_reg_read(pf, QM_IFC_INT_CFG);
	wdm_reg_write(pf, QM_IFC_INT_SET_P, 0);
	dev->worked = true;
	if (set != 1 || !pf->message.targets || cfg != (to == WDM_MB_TARGET_ALL ? WDM_TARGET_ALL : to))
		wdm_refuse(dev, WDM_REFUSE_MSG_SEND, pf->index, cfg, set);
	else
		wdm_pf_send(dev, pf);
}

static bool wdm_vf_send_poll(struct wdm_device *dev, struct wdm_function *vf)
{
	struct wdm_message *m = &vf->message;
	u32 set = wdm_reg_read(vf, QM_IFC_INT_SET_V);

	/* It stays 1 until the acknowledgement. */
	if (!set || (!m->targets && m->out.sent))
		return false;
	dev->worked = true;
	if (set != 1 || !m->targets) {
		wdm_reg_write(vf, QM_IFC_INT_SET_V, 0);
		wdm_refuse(dev, WDM_REFUSE_MSG_SEND, vf->index, WDM_PF, set);
		return false;
	}
	m->targets = 0;
	wdm_link_send(&m->out, m->text);
	wdm_source_show(dev);
	return true;
}

/* Bits of the functions that a message may go to; 0: none. */
static u64 wdm_targets(const struct wdm_device *dev, const struct wdm_function *f, u32 to)
{
	u64 bits = 0;
	u32 i;

	if (f->index != WDM_PF)
		return to == WDM_PF && dev->fns[WDM_PF].attached ? 1ull << WDM_PF : 0;
	for (i = 1; i < dev->attr.functions; i++)
		if (dev->fns[i].attached && (to == i || to == WDM_MB_TARGET_ALL))
			bits |= wdm_bit(&dev->fns[i]);
	return bits;
}

int wdm_message_source(struct wdm_device *dev, struct wdm_function *f, u32 to, u64 text)
{
	struct wdm_message *m = &f->message;
	u64 targets = wdm_targets(dev, f, to);

	if (!targets) {
		wdm_refuse(dev, WDM_REFUSE_MSG_FN, f->index, to, text);
		return -EINVAL;
	}
	m->to = to;
	m->targets = targets;
	m->text = text;
	if (f->index == WDM_PF)
		wdm_ready_show(dev);
	else	/* A sender that waits no longer for its last message writes a 1 once more. */
		wdm_reg_write(f, QM_IFC_INT_SET_V, 0);
	return 0;
}

int wdm_message_fetch(struct wdm_device *dev, struct wdm_function *f, u32 from, u64 *text)
{
	struct wdm_link *link = NULL;

	if (f->index != WDM_PF)
		link = from == WDM_PF ? &f->message.in : NULL;
	else if (from != WDM_PF && from < dev->attr.functions)
		link = &dev->fns[from].message.out;
	if (!link) {
		wdm_refuse(dev, WDM_REFUSE_MSG_FN, f->index, from, 0);
		return -EINVAL;
	}
	if (!link->sent) {
		wdm_refuse(dev, WDM_REFUSE_MSG_NONE, f->index, from, 0);
		return -EINVAL;
	}
	*text = link->text;
	link->fetched = true;
	if (f->index != WDM_PF)
		wdm_reg_write(f, QM_IFC_INT_SOURCE_V, 0);
	return 0;
}

/*
 * Called before each mailbox command of the function, too: a driver acknowledges or sends before it writes the next
 * command, and the command may depend on it.
 */
void wdm_message_poll(struct wdm_device *dev, struct wdm_function *f)
{
	const struct wdm_link *in = &f->message.in;

	if (!wdm_has(dev, QM_MB_CMD_SRC))
		return;
	if (dev->attr.functions == 1) {
		/* Drivers acknowledge at their start, even where no message can come. */
		if (wdm_reg_read(f, QM_IFC_INT_SOURCE_V)) {
			wdm_reg_write(f, QM_IFC_INT_SOURCE_V, 0);
			wdm_reg_write64(f, QM_IFC_INT_SOURCE_P, 0);
		}
		return;
	}
	if (f->index == WDM_PF) {
		wdm_pf_ack_poll(dev, f);
		wdm_pf_send_poll(dev, f);
		if (f->message.late)
			wdm_source_show(dev);
		wdm_pf_signal(dev, f);
		return;
	}
	wdm_vf_ack_poll(dev, f);
	if (wdm_vf_send_poll(dev, f))
		wdm_pf_signal(dev, &dev->fns[WDM_PF]);
	if (in->sent || f->message.status)
		wdm_message_signal(dev, f, in->sent, !in->fetched);
}

void wdm_message_reset(struct wdm_device *dev, struct wdm_function *f, bool gone)
{
	struct wdm_link out = gone ? (struct wdm_link){ 0 } : f->message.out;
	u32 i;

	if (!wdm_has(dev, QM_MB_CMD_SRC))
		return;
	if (f->index == WDM_PF) {
		for (i = 0; i < dev->attr.functions; i++)
			dev->fns[i].message = (struct wdm_message){ 0 };
		return;
	}
	/* The PF may fetch what it has been told of. */
	f->message = (struct wdm_message){ .out = out };
	if (gone)
		dev->fns[WDM_PF].message.targets &= ~wdm_bit(f);
	wdm_ready_show(dev);
	wdm_source_show(dev);
}
