// SPDX-License-Identifier: Apache-2.0
/*
 * As wdctl run does it: attach, then execute a program that keeps the slot.
 *	section_exec run SECTION COMMAND [ARGUMENT]...
 *	section_exec info [SECTION]	start it, and print what the process has; then compress something
 *	section_exec fork SECTION	the same in a child that has executed itself
 *	section_exec icp SECTION	start it by QAT's name, and print what the process has
 */
#include <errno.h>
#include <icp_sal_user.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/uacce_netlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wd_comp.h>
#include <wd_user.h>

static size_t put(char *buf, size_t at, unsigned short type, const void *data, size_t len)
{
	struct nlattr a = { .nla_len = (unsigned short)(NLA_HDRLEN + len), .nla_type = type };

	memcpy(buf + at, &a, sizeof(a));
	memcpy(buf + at + NLA_HDRLEN, data, len);
	return at + NLA_ALIGN(NLA_HDRLEN + len);
}

/* The string attribute in the answer to a request, or NULL. */
static const char *ask(int fd, int type, int cmd, int attr, const char *value, int want, size_t *len)
{
	static _Alignas(8) char buf[65536];
	struct nlmsghdr h = { .nlmsg_type = (unsigned short)type, .nlmsg_flags = NLM_F_REQUEST, .nlmsg_seq = 1 };
	struct genlmsghdr g = { .cmd = (unsigned char)cmd, .version = 1 };
	const struct nlattr *a;
	ssize_t n;
	size_t at;

	memset(buf, 0, sizeof(buf));
	h.nlmsg_len = (unsigned int)put(buf, NLMSG_HDRLEN + GENL_HDRLEN, (unsigned short)attr, value,
					strlen(value) + 1);
	memcpy(buf, &h, sizeof(h));
	memcpy(buf + NLMSG_HDRLEN, &g, sizeof(g));
	if (send(fd, buf, h.nlmsg_len, 0) < 0)
		return NULL;
	n = recv(fd, buf, sizeof(buf), 0);
	memcpy(&h, buf, sizeof(h));
	if (n <= 0 || h.nlmsg_type == NLMSG_ERROR)
		return NULL;
	for (at = NLMSG_HDRLEN + GENL_HDRLEN; at + NLA_HDRLEN <= h.nlmsg_len; at += NLA_ALIGN(a->nla_len)) {
		a = (const struct nlattr *)(const void *)(buf + at);
		*len = a->nla_len - NLA_HDRLEN;
		if ((a->nla_type & NLA_TYPE_MASK) == want)
			return buf + at + NLA_HDRLEN;
	}
	return NULL;
}

static int run(const char *section, char **argv)
{
	int fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_GENERIC);
	unsigned short family;
	const char *answer;
	char value[256];
	size_t len;

	answer = ask(fd, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, CTRL_ATTR_FAMILY_NAME, UACCE_GENL_NAME, CTRL_ATTR_FAMILY_ID,
		     &len);
	if (!answer)
		return 1;
	memcpy(&family, answer, sizeof(family));
	answer = ask(fd, family, UACCE_NL_SECTION_ATTACH, UACCE_A_SECTION, section, UACCE_A_SLOT, &len);
	if (!answer)
		return 1;
	snprintf(value, sizeof(value), "%d,%d,%s,%s", (int)getpid(), fd, section, answer);
	setenv("WD_ATTACHED", value, 1);
	setenv("WD_SECTION", section, 1);
	execvp(argv[0], argv);
	return 127;
}

static int compress(void)
{
	struct wd_comp_sess_setup setup = {
		.alg_type = WD_ZLIB, .comp_lv = 1, .win_size = WD_COMP_WS_32K, .flags = WD_SESS_PATH_HW,
	};
	handle_t sess = wd_comp_alloc_sess(&setup, NULL);
	static char src[100], dst[200];
	size_t n = sizeof(dst);
	struct wd_comp_arg arg = { .src = src, .src_len = sizeof(src), .dst = dst, .dst_len = &n };

	return sess ? wd_compress(sess, &arg) : -errno;
}

static int info(const char *section)
{
	int ret = section ? wd_user_start(section) : 0, work = compress();
	struct wd_user_info i;
	char detail[256];

	if (ret && wd_error_detail(0, detail, sizeof(detail)) > 0)
		fprintf(stderr, "%s\n", detail);
	wd_user_info(&i);
	printf("start %d compress %d %s section '%s' slot '%s' inherited %u grants %u priority %u\n", ret, work,
	       wd_user_state_str(i.state), i.section, i.slot, i.inherited, i.nr_grants, i.queue_priority);
	return 0;
}

static int icp(const char *section)
{
	int ret = icp_sal_userStart(section), work = compress();
	struct wd_user_info i;

	wd_user_info(&i);
	printf("start %d compress %d %s stop %d\n", ret, work, wd_user_state_str(i.state), icp_sal_userStop());
	return 0;
}

int main(int argc, char **argv)
{
	if (argc > 3 && !strcmp(argv[1], "run"))
		return run(argv[2], argv + 3);
	if (argc > 1 && !strcmp(argv[1], "info"))
		return info(argv[2]);
	if (argc > 2 && !strcmp(argv[1], "icp"))
		return icp(argv[2]);
	if (argc > 1 && !strcmp(argv[1], "fork")) {
		pid_t pid = fork();
		int status;

		if (!pid) {
			execl("/proc/self/exe", argv[0], "info", (char *)NULL);
			_exit(127);
		}
		return waitpid(pid, &status, 0) != pid || status;
	}
	return 2;
}
