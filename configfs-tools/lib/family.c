// SPDX-License-Identifier: Apache-2.0
/* Requests to the kernel's generic netlink family "uacce" (libnl). */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <netlink/genl/ctrl.h>
#include <netlink/netlink.h>

#include "family.h"

static struct nla_policy policy[UACCE_A_MAX + 1] = {
	[UACCE_A_DEV] = { .type = NLA_STRING },
	[UACCE_A_DEV_PARENT] = { .type = NLA_STRING },
	[UACCE_A_DEV_API] = { .type = NLA_STRING },
	[UACCE_A_DEV_ALGORITHMS] = { .type = NLA_STRING },
	[UACCE_A_DEV_FLAGS] = { .type = NLA_U32 },
	[UACCE_A_DEV_STATE] = { .type = NLA_U32 },
	[UACCE_A_NODE] = { .type = NLA_S32 },
	[UACCE_A_DEV_PRIORITY] = { .type = NLA_S32 },
	[UACCE_A_DEV_LATENCY] = { .type = NLA_U32 },
	[UACCE_A_DEV_THROUGHPUT] = { .type = NLA_U32 },
	[UACCE_A_DEV_MAX_CTXS] = { .type = NLA_U32 },
	[UACCE_A_CTXS_TOTAL] = { .type = NLA_U32 },
	[UACCE_A_CTXS_RESERVED] = { .type = NLA_U32 },
	[UACCE_A_CTXS_USED] = { .type = NLA_U32 },
	[UACCE_A_CTXS_USED_POOL] = { .type = NLA_U32 },
	[UACCE_A_CTXS_FREE] = { .type = NLA_U32 },
	[UACCE_A_CTXS_QUARANTINED] = { .type = NLA_U32 },
	[UACCE_A_CONFIG_SEQ] = { .type = NLA_U64 },
	[UACCE_A_EVENT_SEQ] = { .type = NLA_U64 },
	[UACCE_A_SECTION] = { .type = NLA_STRING },
	[UACCE_A_SECTION_STATE] = { .type = NLA_U32 },
	[UACCE_A_NUM_PROCESSES] = { .type = NLA_U32 },
	[UACCE_A_LIMIT_DEV_ACCESS] = { .type = NLA_U32 },
	[UACCE_A_SYNC_CTXS] = { .type = NLA_U32 },
	[UACCE_A_ASYNC_CTXS] = { .type = NLA_U32 },
	[UACCE_A_NODES] = { .type = NLA_STRING },
	[UACCE_A_QUEUE_PRIORITY] = { .type = NLA_U32 },
	[UACCE_A_MAX_EXTRA] = { .type = NLA_U32 },
	[UACCE_A_ALLOWED_UIDS] = { .type = NLA_STRING },
	[UACCE_A_ALLOWED_GIDS] = { .type = NLA_STRING },
	[UACCE_A_SLOTS_TOTAL] = { .type = NLA_U32 },
	[UACCE_A_SLOTS_ATTACHED] = { .type = NLA_U32 },
	[UACCE_A_SLOTS_LINGERING] = { .type = NLA_U32 },
	[UACCE_A_WAITING] = { .type = NLA_U32 },
	[UACCE_A_REASON] = { .type = NLA_STRING },
	[UACCE_A_MEMBER] = { .type = NLA_NESTED },
	[UACCE_A_SLOT] = { .type = NLA_STRING },
	[UACCE_A_WAIT_MS] = { .type = NLA_U32 },
	[UACCE_A_TICKET] = { .type = NLA_U32 },
	[UACCE_A_GRANT] = { .type = NLA_NESTED },
	[UACCE_A_CTX_ID] = { .type = NLA_U32 },
	[UACCE_A_CTX_CLASS] = { .type = NLA_U32 },
	[UACCE_A_CTX_STATE] = { .type = NLA_U32 },
	[UACCE_A_CTX_AGE_MS] = { .type = NLA_U64 },
	[UACCE_A_PID] = { .type = NLA_U32 },
	[UACCE_A_COMM] = { .type = NLA_STRING },
	[UACCE_A_ERROR] = { .type = NLA_U32 },
	[UACCE_A_COUNT] = { .type = NLA_U32 },
};

/* Of libnl's own troubles; what the kernel refuses comes as a number of its own. */
static int error_of(int nle)
{
	switch (-nle) {
	case NLE_SUCCESS:
		return 0;
	case NLE_AGAIN:
		return -EAGAIN;
	case NLE_INTR:
	case NLE_DUMP_INTR:
		return -EINTR;
	case NLE_OBJ_NOTFOUND:
		return -ENOENT;
	case NLE_NOMEM:
		return -ENOMEM;
	case NLE_PERM:
	case NLE_NOACCESS:
		return -EPERM;
	case NLE_AF_NOSUPPORT:
		return -EAFNOSUPPORT;
	case NLE_MSG_TRUNC:
	case NLE_MSGSIZE:
		return -EMSGSIZE;
	default:
		return -EIO;
	}
}

/* A kernel without generic netlink is one without the family. */
static bool no_netlink(int error)
{
	return error == -EAFNOSUPPORT || error == -EPROTONOSUPPORT;
}

int family_open(struct family *f)
{
	int ret, on = 1;

	memset(f, 0, sizeof(*f));
	f->sock = nl_socket_alloc();
	if (!f->sock)
		return -ENOMEM;
	ret = error_of(genl_connect(f->sock));
	if (ret)
		goto err_free_socket;
	f->id = genl_ctrl_resolve(f->sock, UACCE_GENL_NAME);
	ret = f->id < 0 ? error_of(f->id) : 0;
	if (ret)
		goto err_free_socket;
	nl_socket_enable_msg_peek(f->sock);
	/* Where the kernel doesn't know this there is no sentence; the number stays. */
	setsockopt(nl_socket_get_fd(f->sock), SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof(on));
	return 0;

err_free_socket:
	family_close(f);
	return no_netlink(ret) ? -ENOENT : ret;
}

void family_close(struct family *f)
{
	nl_socket_free(f->sock);
	f->sock = NULL;
}

struct nl_msg *family_request(const struct family *f, enum uacce_nl_cmd cmd, int flags)
{
	struct nl_msg *msg = nlmsg_alloc();

	if (msg && genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, f->id, 0, flags, cmd, UACCE_GENL_VERSION))
		return msg;
	nlmsg_free(msg);
	return NULL;
}

bool family_parse(const struct family *f, struct nlmsghdr *h, struct family_message *m)
{
	if (h->nlmsg_type != f->id || !genlmsg_valid_hdr(h, 0))
		return false;
	m->cmd = genlmsg_hdr(h)->cmd;
	m->seq = h->nlmsg_seq;
	m->first = genlmsg_attrdata(genlmsg_hdr(h), 0);
	m->len = genlmsg_attrlen(genlmsg_hdr(h), 0);
	return !genlmsg_parse(h, 0, m->attr, UACCE_A_MAX, policy);
}

/* One reading, from callback to callback. */
struct reading {
	struct family *f;
	family_take take;
	void *arg;
	uint32_t seq;	/* of a request whose end is waited for */
	bool done;
	int error;
};

/* Anybody with the right may send to a netlink socket: only the kernel is believed. */
static int on_message(struct nl_msg *msg, void *arg)
{
	struct reading *r = arg;
	struct family_message m;

	if (nlmsg_get_src(msg)->nl_pid || !family_parse(r->f, nlmsg_hdr(msg), &m))
		return NL_SKIP;
	r->error = r->take ? r->take(r->arg, &m) : 0;
	return r->error ? NL_STOP : NL_OK;
}

static void keep_sentence(struct family *f, const struct nlmsghdr *h, const struct nlmsgerr *e)
{
	size_t len = h->nlmsg_len - NLMSG_HDRLEN, at = sizeof(*e);
	struct nlattr *a;

	if (!(h->nlmsg_flags & NLM_F_ACK_TLVS))
		return;
	if (!(h->nlmsg_flags & NLM_F_CAPPED) && e->msg.nlmsg_len > NLMSG_HDRLEN)
		at += NLMSG_ALIGN(e->msg.nlmsg_len) - NLMSG_HDRLEN;
	if (at >= len)
		return;
	a = nla_find((struct nlattr *)((char *)e + at), len - at, NLMSGERR_ATTR_MSG);
	if (a)
		nla_strlcpy(f->why, a, sizeof(f->why));
}

/* libnl hands over the payload; its header is before it. */
static int on_error(struct sockaddr_nl *from, struct nlmsgerr *e, void *arg)
{
	const struct nlmsghdr *h = (const void *)((const char *)e - NLMSG_HDRLEN);
	struct reading *r = arg;

	if (from->nl_pid || h->nlmsg_seq != r->seq)
		return NL_SKIP;
	keep_sentence(r->f, h, e);
	r->error = e->error;
	r->done = true;
	return NL_STOP;
}

static int on_ack(struct nl_msg *msg, void *arg)
{
	struct reading *r = arg;

	r->done |= nlmsg_hdr(msg)->nlmsg_seq == r->seq;
	return NL_OK;
}

/* The end of a dump has its error as payload. */
static int on_finish(struct nl_msg *msg, void *arg)
{
	struct nlmsghdr *h = nlmsg_hdr(msg);
	struct reading *r = arg;
	int error;

	if (nlmsg_datalen(h) >= (int)sizeof(error)) {
		memcpy(&error, nlmsg_data(h), sizeof(error));
		r->error = error < 0 ? error : 0;
	}
	r->done = true;
	return NL_STOP;
}

/* Events have none, and grants the number of a request that is answered already. */
static int any_number(struct nl_msg *msg, void *arg)
{
	(void)msg;
	(void)arg;
	return NL_OK;
}

static int receive_once(struct reading *r)
{
	struct nl_cb *cb = nl_cb_alloc(NL_CB_DEFAULT);
	int ret;

	if (!cb)
		return -ENOMEM;
	nl_cb_set(cb, NL_CB_SEQ_CHECK, NL_CB_CUSTOM, any_number, NULL);
	nl_cb_set(cb, NL_CB_VALID, NL_CB_CUSTOM, on_message, r);
	nl_cb_set(cb, NL_CB_ACK, NL_CB_CUSTOM, on_ack, r);
	nl_cb_set(cb, NL_CB_FINISH, NL_CB_CUSTOM, on_finish, r);
	nl_cb_err(cb, NL_CB_CUSTOM, on_error, r);
	errno = 0;
	ret = nl_recvmsgs(r->f->sock, cb);
	nl_cb_put(cb);
	if (r->error)
		return r->error;
	if (ret == -NLE_NOMEM && errno == ENOBUFS)
		return -ENOBUFS;
	return ret < 0 ? error_of(ret) : 0;
}

int family_receive(struct family *f, family_take take, void *arg)
{
	struct reading r = { .f = f, .take = take, .arg = arg };

	return receive_once(&r);
}

int family_ask(struct family *f, struct nl_msg *msg, int put, family_take take, void *arg)
{
	struct reading r = { .f = f, .take = take, .arg = arg };
	int ret = msg && !put ? nl_send_auto(f->sock, msg) : -NLE_NOMEM;
	bool torn = false;

	f->why[0] = '\0';
	if (ret >= 0)
		r.seq = nlmsg_hdr(msg)->nlmsg_seq;
	nlmsg_free(msg);
	if (ret < 0)
		return error_of(ret);
	do {
		ret = receive_once(&r);
		if (ret == -EINTR && !r.error) {
			/* Read on: the rest of the dump must not be the next one's beginning. */
			torn = true;
			ret = 0;
		}
	} while (!ret && !r.done);
	return ret ? ret : torn ? -EINTR : 0;
}

int family_join(struct family *f, const char *group)
{
	int id = genl_ctrl_resolve_grp(f->sock, UACCE_GENL_NAME, group);

	if (id < 0)
		return error_of(id);
	return error_of(nl_socket_add_membership(f->sock, id));
}
