// SPDX-License-Identifier: Apache-2.0
/* This project's kernel modules: finds installed and loaded ones, inserts and removes them (libkmod). */
#include <errno.h>
#include <libkmod.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "module.h"

struct module_db {
	struct kmod_ctx *kmod;
	const struct root *root;
	const char *from;
};

const char module_sim_name[] = "hisi_sim";
const char *const module_names[] = { "uacce", "hisi_qm", "hisi_zip", "hisi_sec2", "hisi_hpre", module_sim_name, NULL };

static void log_nothing(void *data, int priority, const char *file, int line, const char *fn,
			const char *format, va_list args)
{
	(void)data;
	(void)priority;
	(void)file;
	(void)line;
	(void)fn;
	(void)format;
	(void)args;
}

int module_db_open(struct module_db **db, const struct root *r, const char *from)
{
	static const char *const folders[] = { "/etc/modprobe.d", "/run/modprobe.d", "/lib/modprobe.d" };
	char dir[ROOT_PATH_MAX], config[3][ROOT_PATH_MAX];
	const char *configs[] = { config[0], config[1], config[2], NULL };
	struct module_db *new;
	size_t i;
	int ret;

	ret = root_path(r, dir, sizeof(dir), "/lib/modules/%s", r->release);
	for (i = 0; !ret && i < sizeof(folders) / sizeof(folders[0]); i++)
		ret = root_path(r, config[i], sizeof(config[i]), "%s", folders[i]);
	if (ret)
		return ret;
	new = calloc(1, sizeof(*new));
	if (!new)
		return -ENOMEM;
	new->root = r;
	new->from = from;
	/* A recorded machine has its own modprobe.d. */
	new->kmod = kmod_new(dir, root_is_fake(r) ? configs : NULL);
	if (!new->kmod) {
		free(new);
		return -ENOMEM;
	}
	kmod_set_log_fn(new->kmod, log_nothing, NULL);
	kmod_load_resources(new->kmod);
	*db = new;
	return 0;
}

void module_db_close(struct module_db *db)
{
	kmod_unref(db->kmod);
	free(db);
}

bool module_is_loaded(const struct root *r, const char *name)
{
	return root_exists(r, "/sys/module/%s/initstate", name);
}

/* A build tree keeps a module beside its sources; an unpacked package keeps all in one folder. */
static bool from_path(const struct module_db *db, const char *name, char *path, size_t len)
{
	static const char *const folders[] = {
		"", "kernel/uacce/", "kernel/hisi_qm/", "kernel/hisi_sim/",
	};
	struct stat st;
	size_t i;

	if (!db->from)
		return false;
	for (i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		if (snprintf(path, len, "%s/%s%s.ko", db->from, folders[i], name) >= (int)len)
			return false;
		if (!stat(path, &st))
			return true;
	}
	return false;
}

/* Stores a referenced module in *mod; -ENOENT if neither the folder nor the index has it. */
static int module_find(struct module_db *db, const char *name, struct kmod_module **mod)
{
	struct kmod_list *list = NULL;
	char path[ROOT_PATH_MAX];
	int ret;

	if (from_path(db, name, path, sizeof(path)))
		return kmod_module_new_from_path(db->kmod, path, mod);
	ret = kmod_module_new_from_lookup(db->kmod, name, &list);
	if (ret < 0)
		return ret;
	if (!list)
		return -ENOENT;
	*mod = kmod_module_get_module(list);
	kmod_module_unref_list(list);
	return *mod ? 0 : -ENOENT;
}

/* Searches within the path: it may not begin with the root, as libkmod makes a relative root absolute. */
static bool is_below(const struct module_db *db, const char *path, const char *folder)
{
	char part[256];

	snprintf(part, sizeof(part), "/lib/modules/%s/%s/", db->root->release, folder);
	return strstr(path, part);
}

static enum module_origin origin_of(const struct module_db *db, const char *path)
{
	if (!path)
		return MODULE_BUILTIN;
	if (is_below(db, path, "updates"))
		return MODULE_UPDATES;
	if (is_below(db, path, "kernel"))
		return MODULE_INTREE;
	return MODULE_OTHER;
}

typedef bool (*info_fn)(void *arg, const char *key, const char *value);

/* Calls fn for each pair of the module's own description until it returns true. */
static bool info_walk(struct kmod_module *mod, info_fn fn, void *arg)
{
	struct kmod_list *list = NULL, *item;
	bool stopped = false;

	if (kmod_module_get_info(mod, &list) < 0)
		return false;
	kmod_list_foreach(item, list) {
		stopped = fn(arg, kmod_module_info_get_key(item), kmod_module_info_get_value(item));
		if (stopped)
			break;
	}
	kmod_module_info_free_list(list);
	return stopped;
}

static bool take_info(void *arg, const char *key, const char *value)
{
	struct module *m = arg;

	if (!strcmp(key, "version"))
		snprintf(m->version, sizeof(m->version), "%s", value);
	else if (!strcmp(key, "srcversion"))
		snprintf(m->srcversion, sizeof(m->srcversion), "%s", value);
	else if (!strcmp(key, "vermagic"))
		snprintf(m->vermagic, sizeof(m->vermagic), "%s", value);
	else if (!strcmp(key, "signer"))
		snprintf(m->signer, sizeof(m->signer), "%s", value);
	/* libkmod adds these from the signature behind the file. */
	m->is_signed |= !strcmp(key, "sig_id") || !strcmp(key, "signer");
	return false;
}

static bool is_param(void *arg, const char *key, const char *value)
{
	const char *param = arg;
	size_t len = strlen(param);

	return !strcmp(key, "parm") && !strncmp(value, param, len) && value[len] == ':';
}

static void read_holders(const struct root *r, struct module *m)
{
	struct root_names names;
	size_t i, used = 0;

	if (root_list(r, &names, "/sys/module/%s/holders", m->name))
		return;
	for (i = 0; i < names.count; i++) {
		int n = snprintf(m->holders + used, sizeof(m->holders) - used, "%s%s",
				 i ? " " : "", names.name[i]);

		if (n < 0 || (size_t)n >= sizeof(m->holders) - used)
			break;
		used += n;
	}
	root_names_free(&names);
}

static void read_loaded(const struct root *r, struct module *m)
{
	char taint[32];

	m->loaded = module_is_loaded(r, m->name);
	m->users = -1;
	if (!m->loaded)
		return;
	if (root_read(r, m->loaded_version, sizeof(m->loaded_version), "/sys/module/%s/version",
		      m->name))
		m->loaded_version[0] = '\0';
	if (root_read(r, m->loaded_srcversion, sizeof(m->loaded_srcversion),
		      "/sys/module/%s/srcversion", m->name))
		m->loaded_srcversion[0] = '\0';
	buildid_of_loaded(&m->loaded_build, r, m->name);
	if (!root_read(r, taint, sizeof(taint), "/sys/module/%s/taint", m->name))
		m->loaded_out_of_tree = strchr(taint, 'O');
	if (root_read_long(r, &m->users, "/sys/module/%s/refcnt", m->name))
		m->users = -1;
	read_holders(r, m);
}

int module_read(struct module_db *db, const char *name, struct module *m)
{
	struct kmod_module *mod;
	const char *path;
	int ret;

	memset(m, 0, sizeof(*m));
	m->name = name;
	read_loaded(db->root, m);
	ret = module_find(db, name, &mod);
	if (ret == -ENOENT || ret == -ENOSYS)
		return 0;
	if (ret)
		return ret;
	path = kmod_module_get_path(mod);
	m->origin = origin_of(db, path);
	if (path) {
		snprintf(m->path, sizeof(m->path), "%s", path);
		info_walk(mod, take_info, m);
		buildid_of_file(&m->build, path);
	}
	kmod_module_unref(mod);
	return 0;
}

static bool both_differ(const char *a, const char *b)
{
	return a[0] && b[0] && strcmp(a, b);
}

/* A compressed file hides its build id, and a number in the compiler's options isn't part of srcversion. */
bool module_is_stale(const struct module *m)
{
	if (!m->loaded || !m->path[0])
		return false;
	return buildid_differ(&m->build, &m->loaded_build) || both_differ(m->version, m->loaded_version) ||
	       both_differ(m->srcversion, m->loaded_srcversion);
}

/* The value of the first entry for the module, "" for an entry without one; NULL: there is none. */
static const char *config_find(struct kmod_config_iter *iter, const char *name)
{
	const char *value = NULL;

	while (iter && !value && kmod_config_iter_next(iter)) {
		if (strcmp(kmod_config_iter_get_key(iter), name))
			continue;
		value = kmod_config_iter_get_value(iter);
		if (!value)
			value = "";
	}
	kmod_config_iter_free_iter(iter);
	return value;
}

bool module_is_blacklisted(struct module_db *db, const char *name)
{
	return config_find(kmod_config_get_blacklists(db->kmod), name);
}

const char *module_install_command(struct module_db *db, const char *name)
{
	return config_find(kmod_config_get_install_commands(db->kmod), name);
}

bool module_has_param(struct module_db *db, const char *name, const char *param)
{
	struct kmod_module *mod;
	bool found;

	if (module_find(db, name, &mod))
		return false;
	found = info_walk(mod, is_param, (void *)param);
	kmod_module_unref(mod);
	return found;
}

static int insert_installed(struct module_db *db, const char *name, const char *params)
{
	struct kmod_module *mod;
	int ret;

	ret = module_find(db, name, &mod);
	if (ret)
		return ret;
	ret = kmod_module_probe_insert_module(mod, KMOD_PROBE_FAIL_ON_LOADED, params, NULL, NULL,
					      NULL);
	kmod_module_unref(mod);
	return ret > 0 ? 0 : ret;
}

struct dependencies {
	struct module_db *db;
	int ret;
};

/* The index has no dependencies of a module outside of it; the module itself lists them. */
static bool insert_dependencies(void *arg, const char *key, const char *value)
{
	struct dependencies *d = arg;
	char names[512], *save = NULL, *name;

	if (strcmp(key, "depends"))
		return false;
	snprintf(names, sizeof(names), "%s", value);
	for (name = strtok_r(names, ",", &save); name; name = strtok_r(NULL, ",", &save)) {
		if (module_is_loaded(d->db->root, name))
			continue;
		d->ret = module_insert(d->db, name, NULL);
		if (d->ret && d->ret != -EEXIST)
			return true;
		d->ret = 0;
	}
	return true;
}

int module_insert(struct module_db *db, const char *name, const char *params)
{
	struct dependencies deps = { .db = db };
	struct kmod_module *mod;
	char path[ROOT_PATH_MAX];
	int ret;

	if (module_is_loaded(db->root, name))
		return -EEXIST;
	if (!from_path(db, name, path, sizeof(path)))
		return insert_installed(db, name, params);
	ret = kmod_module_new_from_path(db->kmod, path, &mod);
	if (ret)
		return ret;
	info_walk(mod, insert_dependencies, &deps);
	ret = deps.ret;
	if (!ret)
		ret = kmod_module_insert_module(mod, 0, params);
	kmod_module_unref(mod);
	return ret;
}

int module_remove(struct module_db *db, const char *name)
{
	struct kmod_module *mod;
	int ret;

	if (!module_is_loaded(db->root, name))
		return -ENOENT;
	ret = kmod_module_new_from_name(db->kmod, name, &mod);
	if (ret)
		return ret;
	ret = kmod_module_remove_module(mod, KMOD_REMOVE_NOWAIT);
	kmod_module_unref(mod);
	return ret;
}

const char *module_error(int err)
{
	switch (-err) {
	case EPERM:
		return "loading and unloading modules needs root (CAP_SYS_MODULE), "
		       "and a kernel that is not locked down";
	case ENOEXEC:
		return "the module was not built for this kernel; see the kernel log";
	case ENOENT:
		return "not installed, or a symbol it needs is missing; see the kernel log";
	case ENOKEY:
	case EKEYREJECTED:
		return "this kernel accepts signed modules only; sign it or switch Secure Boot off";
	case EBUSY:
	case EAGAIN:
		return "in use";
	case EEXIST:
		return "already loaded";
	case EINVAL:
		return "a parameter was refused; see the kernel log";
	default:
		return NULL;
	}
}

const char *module_origin_name(enum module_origin origin)
{
	static const char *const names[] = {
		[MODULE_ABSENT] = "absent",
		[MODULE_BUILTIN] = "builtin",
		[MODULE_UPDATES] = "updates",
		[MODULE_INTREE] = "in-tree",
		[MODULE_OTHER] = "other",
	};

	return names[origin];
}
