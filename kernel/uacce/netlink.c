// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The generic netlink family: requests and their replies; event.c sends everything else.
 *
 * Handlers run in parallel, each under uacce_prov, and none sleeps waiting for another process.
 * Replies are sent before the mutex is dropped, so a socket receives its messages in the order
 * of the changes.
 */
#include <linux/cred.h>
#include <linux/fs.h>
#include <linux/net.h>
#include <linux/pid_namespace.h>
#include <net/genetlink.h>
#include <net/sock.h>
#include "provision.h"

#define DEV_NAME_MAX	(UACCE_NAME_SIZE + 16)

static const struct nla_policy dev_policy[] = {
	[UACCE_A_DEV] = { .type = NLA_NUL_STRING, .len = DEV_NAME_MAX },
};

static const struct nla_policy section_policy[] = {
	[UACCE_A_SECTION] = { .type = NLA_NUL_STRING, .len = UACCE_SECTION_NAME_MAX },
};

static const struct nla_policy attach_policy[] = {
	[UACCE_A_DEV] = { .type = NLA_NUL_STRING, .len = DEV_NAME_MAX },
	[UACCE_A_SECTION] = { .type = NLA_NUL_STRING, .len = UACCE_SECTION_NAME_MAX },
	[UACCE_A_SLOT] = { .type = NLA_NUL_STRING, .len = UACCE_SLOT_NAME_SIZE - 1 },
	[UACCE_A_WAIT_MS] = { .type = NLA_U32 },
	[UACCE_A_JOIN] = { .type = NLA_FLAG },
};

/* ------ replies ------ */

/* Returns the message or ERR_PTR(); *hdr is the message's header. */
static struct sk_buff *reply_new(struct genl_info *info, size_t bytes, void **hdr)
{
	struct sk_buff *msg = genlmsg_new(bytes, GFP_KERNEL);

	if (!msg)
		return ERR_PTR(-ENOMEM);
	*hdr = genlmsg_put_reply(msg, info, &uacce_genl_family, 0, info->genlhdr->cmd);
	if (!*hdr) {
		nlmsg_free(msg);
		return ERR_PTR(-EMSGSIZE);
	}
	return msg;
}

/* Sends the message if @ret, the result of filling it, is 0. */
static int reply_end(struct sk_buff *msg, struct genl_info *info, void *hdr, int ret)
{
	if (ret) {
		GENL_SET_ERR_MSG(info, "the reply is too long");
		nlmsg_free(msg);
		return ret;
	}
	genlmsg_end(msg, hdr);
	ret = genlmsg_reply(msg, info);
	if (ret)
		GENL_SET_ERR_MSG(info, "the reply can't be delivered: the socket's buffer is full");
	return ret;
}

/* The string, or NULL. */
static const char *request_string(struct genl_info *info, int type)
{
	return info->attrs[type] ? nla_data(info->attrs[type]) : NULL;
}

static int fill_dev(struct sk_buff *skb, const struct uacce_device *uacce, bool admin)
{
	int ret = uacce_fill_dev(skb, uacce);

	return !ret && admin ? uacce_fill_dev_work(skb, uacce) : ret;
}

static int dev_reply(struct genl_info *info, const struct uacce_device *uacce, bool admin)
{
	struct sk_buff *msg;
	void *hdr;

	msg = reply_new(info, uacce_dev_bytes(uacce), &hdr);
	if (IS_ERR(msg))
		return PTR_ERR(msg);
	return reply_end(msg, info, hdr, fill_dev(msg, uacce, admin));
}

static int dev_get(struct sk_buff *skb, struct genl_info *info)
{
	struct uacce_device *uacce;
	int ret;

	if (GENL_REQ_ATTR_CHECK(info, UACCE_A_DEV)) {
		GENL_SET_ERR_MSG(info, "the request names no device");
		return -EINVAL;
	}
	mutex_lock(&uacce_prov);
	uacce = uacce_account_find(request_string(info, UACCE_A_DEV));
	if (uacce) {
		ret = dev_reply(info, uacce, netlink_capable(skb, CAP_SYS_ADMIN));
	} else {
		NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[UACCE_A_DEV], "there is no such device");
		ret = -ENOENT;
	}
	mutex_unlock(&uacce_prov);
	return ret;
}

static int fill_section(struct sk_buff *skb, const struct uacce_section *section, bool admin)
{
	int ret = uacce_fill_section(skb, section);

	if (!ret && admin)
		ret = uacce_fill_requests(skb, section->requests);
	return !ret && admin ? uacce_fill_wrong(skb, section->wrong_results) : ret;
}

static int section_reply(struct genl_info *info, const struct uacce_section *section, bool admin)
{
	struct sk_buff *msg;
	void *hdr;

	msg = reply_new(info, uacce_section_bytes(section), &hdr);
	if (IS_ERR(msg))
		return PTR_ERR(msg);
	return reply_end(msg, info, hdr, fill_section(msg, section, admin));
}

static int section_missing(struct genl_info *info)
{
	if (!GENL_REQ_ATTR_CHECK(info, UACCE_A_SECTION))
		return 0;
	GENL_SET_ERR_MSG(info, "the request names no section");
	return -EINVAL;
}

static int section_get(struct sk_buff *skb, struct genl_info *info)
{
	struct uacce_section *section;
	int ret;

	ret = section_missing(info);
	if (ret)
		return ret;
	mutex_lock(&uacce_prov);
	section = uacce_section_find(request_string(info, UACCE_A_SECTION));
	if (section) {
		ret = section_reply(info, section, netlink_capable(skb, CAP_SYS_ADMIN));
	} else {
		NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[UACCE_A_SECTION], "there is no such section");
		ret = -ENOENT;
	}
	mutex_unlock(&uacce_prov);
	return ret;
}

/* ------ attaching ------ */

/* The text is in the module's rodata, and the module can't be unloaded while a request is answered. */
static int netlink_refuse(struct genl_info *info, const struct uacce_refusal *no, int error)
{
	if (info->extack && no->why)
		info->extack->_msg = no->why;
	return error;
}

static int refuse_attach(struct genl_info *info, const struct uacce_refusal *no, int error)
{
	if (no->attr && no->attr < ARRAY_SIZE(attach_policy) && info->attrs[no->attr])
		NL_SET_BAD_ATTR(info->extack, info->attrs[no->attr]);
	return netlink_refuse(info, no, error);
}

static int attach_reply(struct genl_info *info, const struct uacce_attachment *a)
{
	struct sk_buff *msg;
	void *hdr;

	msg = reply_new(info, uacce_grants_bytes(a), &hdr);
	if (IS_ERR(msg))
		return PTR_ERR(msg);
	return reply_end(msg, info, hdr, uacce_fill_grants(msg, a));
}

static int section_join(struct genl_info *info)
{
	struct uacce_refusal no = {};
	struct uacce_attachment *a;
	int ret;

	if (info->attrs[UACCE_A_SLOT] || info->attrs[UACCE_A_DEV] || info->attrs[UACCE_A_WAIT_MS]) {
		NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[UACCE_A_JOIN], "to join, name nothing but the section");
		return -EINVAL;
	}
	mutex_lock(&uacce_prov);
	ret = uacce_attach_join(request_string(info, UACCE_A_SECTION), &a, &no);
	if (ret)
		refuse_attach(info, &no, ret);
	else
		ret = attach_reply(info, a);
	mutex_unlock(&uacce_prov);
	return ret;
}

static int section_attach(struct sk_buff *skb, struct genl_info *info)
{
	struct uacce_attach_request req = {
		.sk = NETLINK_CB(skb).sk,
		.net = genl_info_net(info),
		.portid = info->snd_portid,
		.seq = info->snd_seq,
		.admin = netlink_capable(skb, CAP_SYS_ADMIN),
		.section = request_string(info, UACCE_A_SECTION),
		.slot = request_string(info, UACCE_A_SLOT),
		.dev = request_string(info, UACCE_A_DEV),
	};
	struct uacce_refusal no = {};
	struct uacce_attachment *a;
	int ret;

	ret = section_missing(info);
	if (ret)
		return ret;
	if (info->attrs[UACCE_A_JOIN])
		return section_join(info);
	if (req.slot && req.dev) {
		NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[UACCE_A_DEV],
				    "the request names both a slot and a device");
		return -EINVAL;
	}
	if (info->attrs[UACCE_A_WAIT_MS])
		req.wait_ms = nla_get_u32(info->attrs[UACCE_A_WAIT_MS]);
	mutex_lock(&uacce_prov);
	ret = uacce_attach(&req, &a, &no);
	if (ret) {
		refuse_attach(info, &no, ret);
	} else {
		/* A process that can't be sent the reply must not keep the attachment. */
		ret = attach_reply(info, a);
		if (ret)
			uacce_attachment_end(a, 0);
	}
	mutex_unlock(&uacce_prov);
	return ret;
}

static int section_detach(struct sk_buff *skb, struct genl_info *info)
{
	struct uacce_refusal no = {};
	int ret = uacce_detach(&no);

	return ret ? netlink_refuse(info, &no, ret) : 0;
}

/* ------ dumps ------ */

/* State of a dump between messages. */
struct dump {
	struct pid_namespace *pid_ns;	/* the caller's; contexts only */
	kuid_t euid;
	bool admin;
	int dev;			/* id of the next device */
	unsigned int nr;		/* sections dumped */
	u64 serial;			/* of the last context dumped of that device */
};

static struct dump *to_dump(struct netlink_callback *cb)
{
	BUILD_BUG_ON(sizeof(struct dump) > sizeof(cb->ctx));
	return (struct dump *)cb->ctx;
}

/* Makes the dump's messages large enough for the largest entry. */
static void dump_needs(struct netlink_callback *cb, size_t bytes)
{
	bytes = nlmsg_total_size(GENL_HDRLEN + bytes);
	if (bytes > cb->min_dump_alloc)
		cb->min_dump_alloc = bytes;
}

static int dump_start(struct netlink_callback *cb)
{
	if (!nlmsg_attrlen(cb->nlh, GENL_HDRLEN))
		return 0;
	/* Older kernels have no extack here. */
	NL_SET_ERR_MSG(cb->extack, "a dump takes no attributes");
	return -EINVAL;
}

static int dev_dump_start(struct netlink_callback *cb)
{
	struct uacce_account *acct;
	int ret = dump_start(cb);

	if (ret)
		return ret;
	to_dump(cb)->admin = netlink_capable(cb->skb, CAP_SYS_ADMIN);
	mutex_lock(&uacce_prov);
	list_for_each_entry(acct, &uacce_accounts, all)
		dump_needs(cb, uacce_dev_bytes(uacce_of_account(acct)));
	mutex_unlock(&uacce_prov);
	return 0;
}

static int section_dump_start(struct netlink_callback *cb)
{
	struct uacce_section *section;
	int ret = dump_start(cb);

	if (ret)
		return ret;
	to_dump(cb)->admin = netlink_capable(cb->skb, CAP_SYS_ADMIN);
	mutex_lock(&uacce_prov);
	list_for_each_entry(section, &uacce_sections, all)
		dump_needs(cb, uacce_section_bytes(section));
	mutex_unlock(&uacce_prov);
	return 0;
}

/* Otherwise a privileged program could be tricked into writing a request whose answer another process reads. */
static bool opener_asks(const struct sk_buff *skb)
{
	const struct file *file = NETLINK_CB(skb).sk->sk_socket->file;

	return file && uid_eq(file->f_cred->euid, current_euid());
}

/* Another process may read the messages later; current is the process that sent the request. */
static int ctx_dump_start(struct netlink_callback *cb)
{
	struct dump *dump = to_dump(cb);
	int ret = dump_start(cb);

	if (ret)
		return ret;
	dump->admin = netlink_capable(cb->skb, CAP_SYS_ADMIN);
	dump->euid = opener_asks(cb->skb) ? current_euid() : INVALID_UID;
	dump->pid_ns = get_pid_ns(task_active_pid_ns(current));
	uacce_requests_update(dump->admin, dump->euid);
	return 0;
}

static int ctx_dump_done(struct netlink_callback *cb)
{
	put_pid_ns(to_dump(cb)->pid_ns);
	return 0;
}

/* 0 would mean "no sequence number". */
static void dump_begin(struct netlink_callback *cb, u32 generation)
{
	cb->seq = (generation + 1) ?: 1;
}

/* An entry that didn't fit becomes the first of the next message. An entry that never fits ends the dump. */
static int dump_end(const struct sk_buff *skb, int ret)
{
	if (ret == -EMSGSIZE && skb->len)
		ret = 0;
	return ret ? ret : skb->len;
}

static void *entry_begin(struct sk_buff *skb, struct netlink_callback *cb, u8 cmd)
{
	void *hdr = genlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq,
				&uacce_genl_family, NLM_F_MULTI, cmd);

	if (hdr)
		genl_dump_check_consistent(cb, hdr);
	return hdr;
}

static int entry_end(struct sk_buff *skb, void *hdr, int ret)
{
	if (ret)
		genlmsg_cancel(skb, hdr);
	else
		genlmsg_end(skb, hdr);
	return ret;
}

static int dev_entry(struct sk_buff *skb, struct netlink_callback *cb, const struct uacce_device *uacce)
{
	void *hdr = entry_begin(skb, cb, UACCE_NL_DEV_GET);

	dump_needs(cb, uacce_dev_bytes(uacce));
	return hdr ? entry_end(skb, hdr, fill_dev(skb, uacce, to_dump(cb)->admin)) : -EMSGSIZE;
}

static int dev_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct dump *dump = to_dump(cb);
	struct uacce_account *acct;
	int ret = 0;

	mutex_lock(&uacce_prov);
	dump_begin(cb, uacce_prov_generation);
	list_for_each_entry(acct, &uacce_accounts, all) {
		struct uacce_device *uacce = uacce_of_account(acct);

		if (uacce->id < dump->dev)
			continue;
		ret = dev_entry(skb, cb, uacce);
		if (ret)
			break;
		dump->dev = uacce->id + 1;
	}
	mutex_unlock(&uacce_prov);
	return dump_end(skb, ret);
}

static int section_entry(struct sk_buff *skb, struct netlink_callback *cb, const struct uacce_section *section)
{
	void *hdr = entry_begin(skb, cb, UACCE_NL_SECTION_GET);

	dump_needs(cb, uacce_section_bytes(section));
	return hdr ? entry_end(skb, hdr, fill_section(skb, section, to_dump(cb)->admin)) : -EMSGSIZE;
}

static int section_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct dump *dump = to_dump(cb);
	struct uacce_section *section;
	unsigned int i = 0;
	int ret = 0;

	mutex_lock(&uacce_prov);
	dump_begin(cb, uacce_prov_generation);
	list_for_each_entry(section, &uacce_sections, all) {
		if (i++ < dump->nr)
			continue;
		ret = section_entry(skb, cb, section);
		if (ret)
			break;
		dump->nr = i;
	}
	mutex_unlock(&uacce_prov);
	return dump_end(skb, ret);
}

static int ctx_entry(struct sk_buff *skb, struct netlink_callback *cb, const struct uacce_ctx *ctx)
{
	struct dump *dump = to_dump(cb);
	void *hdr;

	if (!dump->admin && !uid_eq(ctx->charge.euid, dump->euid))
		return 0;
	hdr = entry_begin(skb, cb, UACCE_NL_CTX_GET);
	return hdr ? entry_end(skb, hdr, uacce_fill_ctx(skb, ctx, dump->pid_ns)) : -EMSGSIZE;
}

static int ctx_dump_dev(struct sk_buff *skb, struct netlink_callback *cb, struct uacce_account *acct)
{
	struct dump *dump = to_dump(cb);
	struct uacce_charge *charge;
	int ret;

	list_for_each_entry(charge, &acct->charges, node) {
		if (charge->serial <= dump->serial)
			continue;
		ret = ctx_entry(skb, cb, uacce_of_charge(charge));
		if (ret)
			return ret;
		dump->serial = charge->serial;
	}
	return 0;
}

static int ctx_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct dump *dump = to_dump(cb);
	struct uacce_account *acct;
	int ret = 0;

	mutex_lock(&uacce_prov);
	dump_begin(cb, uacce_prov_generation + uacce_ctx_generation);
	list_for_each_entry(acct, &uacce_accounts, all) {
		int id = uacce_of_account(acct)->id;

		if (id < dump->dev)
			continue;
		if (id > dump->dev)
			dump->serial = 0;
		dump->dev = id;
		ret = ctx_dump_dev(skb, cb, acct);
		if (ret)
			break;
	}
	mutex_unlock(&uacce_prov);
	return dump_end(skb, ret);
}

/* ------ the family ------ */

static const struct genl_ops uacce_ops[] = {
	{
		.cmd = UACCE_NL_DEV_GET,
		.doit = dev_get,
		.start = dev_dump_start,
		.dumpit = dev_dump,
		.policy = dev_policy,
		.maxattr = ARRAY_SIZE(dev_policy) - 1,
	},
	{
		.cmd = UACCE_NL_SECTION_GET,
		.doit = section_get,
		.start = section_dump_start,
		.dumpit = section_dump,
		.policy = section_policy,
		.maxattr = ARRAY_SIZE(section_policy) - 1,
	},
	{
		.cmd = UACCE_NL_SECTION_ATTACH,
		.doit = section_attach,
		.policy = attach_policy,
		.maxattr = ARRAY_SIZE(attach_policy) - 1,
	},
	{
		.cmd = UACCE_NL_SECTION_DETACH,
		.doit = section_detach,
	},
	{
		.cmd = UACCE_NL_CTX_GET,
		.start = ctx_dump_start,
		.dumpit = ctx_dump,
		.done = ctx_dump_done,
	},
};

static const struct genl_multicast_group uacce_mcgrps[] = {
	[UACCE_GRP_CONFIG] = { .name = UACCE_MCGRP_CONFIG },
	[UACCE_GRP_EVENT] = { .name = UACCE_MCGRP_EVENT, .flags = GENL_MCAST_CAP_SYS_ADMIN },
};

/* No resv_start_op: reserved fields and attributes are checked in all commands. */
struct genl_family uacce_genl_family __ro_after_init = {
	.name = UACCE_GENL_NAME,
	.version = UACCE_GENL_VERSION,
	.netnsok = true,
	.parallel_ops = true,
	.module = THIS_MODULE,
	.ops = uacce_ops,
	.n_ops = ARRAY_SIZE(uacce_ops),
	.mcgrps = uacce_mcgrps,
	.n_mcgrps = ARRAY_SIZE(uacce_mcgrps),
};

int uacce_netlink_init(void)
{
	return genl_register_family(&uacce_genl_family);
}

void uacce_netlink_exit(void)
{
	genl_unregister_family(&uacce_genl_family);
}
