// SPDX-License-Identifier: GPL-2.0-or-later
/* faults/ of a simulated device: faults to inject, in the syntax of wd-emulate. */
#include <linux/ctype.h>
#include <linux/kstrtox.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "item.h"
#include "model/model.h"

static struct sim_item *faults_item(struct config_item *ci)
{
	return container_of(to_config_group(ci), struct sim_item, faults);
}

static int fault_refuse(struct sim_item *item, const char *attr, const char *why, int err)
{
	pr_err("hisi_sim: %s/faults/%s: %s\n", config_item_name(&item->group.cg_item), attr, why);
	return err;
}

/* ------ rules ------ */

/* Arguments of a call on the thread that runs the model. */
struct rules_call {
	unsigned int kind;
	struct wdm_fault_rule *rules;
	const struct wdm_fault_rule *rule;
	u64 *counts;
	u64 seed;
};

static void rules_get(struct wdm_device *model, void *arg)
{
	struct rules_call *call = arg;

	memcpy(call->rules, wdm_fault_rules(model), WDM_FAULT_NR * sizeof(*call->rules));
}

static void rules_set(struct wdm_device *model, void *arg)
{
	struct rules_call *call = arg;

	/* The caller has checked the rule against the shape that the model was made from. */
	wdm_fault_set(model, call->kind, call->rule);
}

static void counts_get(struct wdm_device *model, void *arg)
{
	struct rules_call *call = arg;

	memcpy(call->counts, wdm_fault_counts(model), WDM_FAULT_NR * sizeof(*call->counts));
}

static void seed_set(struct wdm_device *model, void *arg)
{
	struct rules_call *call = arg;

	wdm_fault_seed(model, call->seed);
}

void sim_faults_keep(struct sim_item *item)
{
	struct rules_call call = { .rules = item->shape.faults };

	lockdep_assert_held(&item->lock);
	sim_worker_call(item->sdev, rules_get, &call);
	item->shape.faults[WDM_FAULT_PAGE] = sim_late_get(&item->sdev->late);
}

static int rule_check(struct sim_item *item, const char *attr, unsigned int kind, const struct wdm_fault_rule *rule)
{
	struct wdm_attr attrs = { .type = item->shape.type->model, .queues = sim_queues(&item->shape) };
	char why[80];

	if (kind == WDM_FAULT_PAGE || !wdm_fault_check(&attrs, kind, rule))
		return 0;
	if (rule->queue != WDM_FAULT_ANY && rule->queue >= sim_queues(&item->shape))
		scnprintf(why, sizeof(why), "queue %u: expected 0 to %u", rule->queue, sim_queues(&item->shape) - 1);
	else
		scnprintf(why, sizeof(why), "status 0x%llx: expected one that means failure", rule->value);
	return fault_refuse(item, attr, why, -EINVAL);
}

int sim_faults_check(struct sim_item *item)
{
	unsigned int kind;
	int err = 0;

	lockdep_assert_held(&item->lock);
	for (kind = 0; kind < WDM_FAULT_NAMED && !err; kind++)
		err = rule_check(item, wdm_fault_name(kind), kind, &item->shape.faults[kind]);
	return err;
}

/* Members that the parts of a rule share. */
static int more_print(const struct wdm_fault_rule *rule, unsigned int kind, char *page, int at)
{
	int n = 0;

	if (rule->value)
		n += sysfs_emit_at(page, at, kind == WDM_FAULT_FAIL ? ":0x%llx" : ":%lluns", rule->value);
	if (rule->queue != WDM_FAULT_ANY)
		n += sysfs_emit_at(page, at + n, "@%u", rule->queue);
	return n;
}

static ssize_t rule_print(const struct wdm_fault_rule *rule, unsigned int kind, char *page)
{
	u32 burst = rule->burst ?: 1;
	int n = 0;

	if (!wdm_fault_may(rule))
		return sysfs_emit(page, "0\n");
	if (rule->next) {
		n = sysfs_emit(page, "%u", rule->next);
		n += more_print(rule, kind, page, n);
	}
	if (rule->next && (rule->one_in || rule->every_ns))
		n += sysfs_emit_at(page, n, ",");
	if (rule->one_in)
		n += sysfs_emit_at(page, n, "%u/%u", burst, rule->one_in);
	else if (rule->every_ns)
		n += sysfs_emit_at(page, n, "%u/%lluns", burst, rule->every_ns);
	if (rule->one_in || rule->every_ns)
		n += more_print(rule, kind, page, n);
	return n + sysfs_emit_at(page, n, "\n");
}

static ssize_t rule_show(struct config_item *ci, unsigned int kind, char *page)
{
	struct sim_item *item = faults_item(ci);
	ssize_t len;

	mutex_lock(&item->lock);
	if (item->sdev)
		sim_faults_keep(item);
	len = rule_print(&item->shape.faults[kind], kind, page);
	mutex_unlock(&item->lock);
	return len;
}

static int rule_assign(struct sim_item *item, const char *attr, unsigned int kind, const struct wdm_fault_rule *rule)
{
	struct rules_call call = { .kind = kind, .rule = rule };
	int err = rule_check(item, attr, kind, rule);

	lockdep_assert_held(&item->lock);
	if (err)
		return err;
	item->shape.faults[kind] = *rule;
	if (!item->sdev)
		return 0;
	if (kind == WDM_FAULT_PAGE)
		sim_late_set(&item->sdev->late, rule);
	else
		sim_worker_call(item->sdev, rules_set, &call);
	return 0;
}

/* Return: 0, or -EINVAL after a message that names the part of the text that is wrong, and why. */
static int rule_parse(struct sim_item *item, const char *attr, unsigned int kind, char *text,
		      struct wdm_fault_rule *rule)
{
	const char *wrong;
	char *word, why[160];

	while ((word = strsep(&text, ","))) {
		wrong = wdm_fault_parse(kind, word, rule);
		if (!wrong)
			continue;
		scnprintf(why, sizeof(why), "\"%.32s\": %s", word, wrong);
		return fault_refuse(item, attr, why, -EINVAL);
	}
	return 0;
}

static ssize_t rule_store(struct config_item *ci, const char *attr, unsigned int kind, const char *page, size_t len)
{
	struct wdm_fault_rule rule = { .queue = WDM_FAULT_ANY };
	struct sim_item *item = faults_item(ci);
	char *copy;
	int err;

	copy = kstrndup(page, len, GFP_KERNEL);
	if (!copy)
		return -ENOMEM;
	err = rule_parse(item, attr, kind, strim(copy), &rule);
	kfree(copy);
	if (err)
		return err;
	mutex_lock(&item->lock);
	err = rule_assign(item, attr, kind, &rule);
	mutex_unlock(&item->lock);
	return err ?: len;
}

#define FAULT_ATTR(name, kind)									\
static ssize_t sim_faults_##name##_show(struct config_item *ci, char *page)			\
{												\
	return rule_show(ci, kind, page);							\
}												\
static ssize_t sim_faults_##name##_store(struct config_item *ci, const char *page, size_t len)	\
{												\
	return rule_store(ci, #name, kind, page, len);						\
}												\
CONFIGFS_ATTR(sim_faults_, name)

FAULT_ATTR(fail, WDM_FAULT_FAIL);
FAULT_ATTR(delay, WDM_FAULT_DELAY);
FAULT_ATTR(reorder, WDM_FAULT_REORDER);
FAULT_ATTR(drop, WDM_FAULT_DROP);
FAULT_ATTR(duplicate, WDM_FAULT_DUPLICATE);
FAULT_ATTR(corrupt, WDM_FAULT_CORRUPT);
FAULT_ATTR(stuck, WDM_FAULT_STUCK);
FAULT_ATTR(mailbox, WDM_FAULT_MAILBOX);
FAULT_ATTR(page_fault, WDM_FAULT_PAGE);

static ssize_t sim_faults_seed_show(struct config_item *ci, char *page)
{
	struct sim_item *item = faults_item(ci);
	ssize_t len;

	mutex_lock(&item->lock);
	len = sysfs_emit(page, "%llu\n", item->shape.fault_seed);
	mutex_unlock(&item->lock);
	return len;
}

static ssize_t sim_faults_seed_store(struct config_item *ci, const char *page, size_t len)
{
	struct sim_item *item = faults_item(ci);
	struct rules_call call = {};
	int err;

	err = kstrtou64(page, 0, &call.seed);
	if (err)
		return fault_refuse(item, "seed", "expected a 64-bit number", err);
	mutex_lock(&item->lock);
	item->shape.fault_seed = call.seed;
	if (item->sdev) {
		sim_worker_call(item->sdev, seed_set, &call);
		atomic64_set(&item->sdev->late.count, 0);
	}
	mutex_unlock(&item->lock);
	return len;
}
CONFIGFS_ATTR(sim_faults_, seed);

static ssize_t sim_faults_counts_show(struct config_item *ci, char *page)
{
	struct sim_item *item = faults_item(ci);
	u64 counts[WDM_FAULT_NAMED] = {};
	struct rules_call call = { .counts = counts };
	unsigned int kind;
	ssize_t len = 0;

	mutex_lock(&item->lock);
	if (item->sdev) {
		sim_worker_call(item->sdev, counts_get, &call);
		counts[WDM_FAULT_PAGE] = atomic64_read(&item->sdev->late.count);
	}
	mutex_unlock(&item->lock);
	for (kind = 0; kind < WDM_FAULT_NAMED; kind++)
		len += sysfs_emit_at(page, len, "%s %llu\n", wdm_fault_name(kind), counts[kind]);
	return len;
}
CONFIGFS_ATTR_RO(sim_faults_, counts);

/* ------ faults of the whole device, at once ------ */

struct error_call {
	enum wdm_errors which;
	u32 bit;
	int err;
};

static void error_set(struct wdm_device *model, void *arg)
{
	struct error_call *call = arg;

	call->err = wdm_fault_error(model, call->which, call->bit);
}

static bool error_parse(const char *page, struct error_call *call)
{
	char group[8], rest;

	/* Few enough digits that none can overflow, which sscanf() wouldn't report. */
	if (sscanf(page, "%7s %3u %c", group, &call->bit, &rest) != 2)
		return false;
	call->which = strcmp(group, "qm") ? WDM_ERRORS_ENGINE : WDM_ERRORS_QM;
	return call->which == WDM_ERRORS_QM || !strcmp(group, "engine");
}

static ssize_t sim_faults_error_store(struct config_item *ci, const char *page, size_t len)
{
	struct sim_item *item = faults_item(ci);
	struct error_call call = {};
	int err = 0;

	if (isdigit(*page))
		return rule_store(ci, "error", WDM_FAULT_ERROR, page, len);
	if (!error_parse(page, &call))
		return fault_refuse(item, "error", "expected qm BIT, engine BIT or WHEN[@QUEUE]", -EINVAL);
	mutex_lock(&item->lock);
	if (!item->sdev) {
		err = fault_refuse(item, "error", "the device isn't live", -ENODEV);
		goto unlock;
	}
	/* No driver would read the error, and a driver that probes later clears earlier errors. */
	if (!sim_config_memory_enabled(sim_pf(item->sdev))) {
		err = fault_refuse(item, "error", "no driver has enabled memory decoding", -ENODEV);
		goto unlock;
	}
	sim_worker_call(item->sdev, error_set, &call);
	if (call.err)
		err = fault_refuse(item, "error", "the device has no such error", call.err);
unlock:
	mutex_unlock(&item->lock);
	return err ?: len;
}

static ssize_t sim_faults_error_show(struct config_item *ci, char *page)
{
	return rule_show(ci, WDM_FAULT_ERROR, page);
}
CONFIGFS_ATTR(sim_faults_, error);

static ssize_t sim_faults_aer_store(struct config_item *ci, const char *page, size_t len)
{
	static const char *const names[] = { "nonfatal", "fatal", "lost", "failure" };
	struct sim_item *item = faults_item(ci);
	int which = sysfs_match_string(names, page);
	int err;

	if (which < 0)
		return fault_refuse(item, "aer", "expected nonfatal, fatal, lost or failure", -EINVAL);
	mutex_lock(&item->lock);
	if (!item->sdev)
		err = fault_refuse(item, "aer", "the device isn't live", -ENODEV);
	else
		err = sim_device_error(item->sdev, which);
	if (err == -EOPNOTSUPP)
		fault_refuse(item, "aer", "no driver of the physical function handles errors", err);
	mutex_unlock(&item->lock);
	return err ?: len;
}
CONFIGFS_ATTR_WO(sim_faults_, aer);

/* Switches of a live device; another one's are off. */
static ssize_t switch_show(struct config_item *ci, bool (*is_on)(struct sim_dev *sdev), char *page)
{
	struct sim_item *item = faults_item(ci);
	bool on;

	mutex_lock(&item->lock);
	on = item->sdev && is_on(item->sdev);
	mutex_unlock(&item->lock);
	return sysfs_emit(page, "%d\n", on);
}

static ssize_t switch_store(struct config_item *ci, const char *attr, void (*set)(struct sim_dev *sdev, bool on),
			    const char *page, size_t len)
{
	struct sim_item *item = faults_item(ci);
	unsigned int on;
	int err = 0;

	if (kstrtouint(page, 10, &on) || on > 1)
		return fault_refuse(item, attr, "expected 0 or 1", -EINVAL);
	mutex_lock(&item->lock);
	if (item->sdev)
		set(item->sdev, on);
	else if (on)
		err = fault_refuse(item, attr, "the device isn't live", -ENODEV);
	mutex_unlock(&item->lock);
	return err ?: len;
}

static bool resets_fail(struct sim_dev *sdev)
{
	return sdev->reset_fails;
}

static void resets_set(struct sim_dev *sdev, bool fail)
{
	WRITE_ONCE(sdev->reset_fails, fail);
}

#define SWITCH_ATTR(name, is_on, set)								\
static ssize_t sim_faults_##name##_show(struct config_item *ci, char *page)			\
{												\
	return switch_show(ci, is_on, page);							\
}												\
static ssize_t sim_faults_##name##_store(struct config_item *ci, const char *page, size_t len)	\
{												\
	return switch_store(ci, #name, set, page, len);						\
}												\
CONFIGFS_ATTR(sim_faults_, name)

SWITCH_ATTR(bind, sim_sva_holds_binds, sim_sva_hold_binds);
SWITCH_ATTR(reset, resets_fail, resets_set);

static const char *const fates[] = {
	[SIM_MAP_WORKS] = "0",
	[SIM_MAP_FAILS] = "fail",
	[SIM_MAP_LOST] = "lose",
};

static ssize_t sim_faults_mapping_show(struct config_item *ci, char *page)
{
	struct sim_item *item = faults_item(ci);
	enum sim_fate fate = SIM_MAP_WORKS;
	u32 nth;

	mutex_lock(&item->lock);
	if (item->sdev)
		fate = sim_mapped_doomed(item->sdev, &nth);
	mutex_unlock(&item->lock);
	return fate == SIM_MAP_WORKS ? sysfs_emit(page, "0\n") : sysfs_emit(page, "%s %u\n", fates[fate], nth);
}

/* Few enough digits that none can overflow, which sscanf() wouldn't report. */
static bool fate_parse(const char *page, enum sim_fate *fate, u32 *nth)
{
	char name[8], rest;

	*fate = SIM_MAP_WORKS;
	*nth = 0;
	if (sysfs_streq(page, fates[SIM_MAP_WORKS]))
		return true;
	if (sscanf(page, "%7s %9u %c", name, nth, &rest) != 2 || !*nth)
		return false;
	*fate = strcmp(name, fates[SIM_MAP_FAILS]) ? SIM_MAP_LOST : SIM_MAP_FAILS;
	return !strcmp(name, fates[*fate]);
}

static ssize_t sim_faults_mapping_store(struct config_item *ci, const char *page, size_t len)
{
	struct sim_item *item = faults_item(ci);
	enum sim_fate fate;
	int err = 0;
	u32 nth;

	if (!fate_parse(page, &fate, &nth))
		return fault_refuse(item, "mapping", "expected fail N, lose N or 0", -EINVAL);
	mutex_lock(&item->lock);
	if (!item->sdev)
		err = nth ? fault_refuse(item, "mapping", "the device isn't live", -ENODEV) : 0;
	else if (item->shape.sva)
		err = nth ? fault_refuse(item, "mapping", "a device with SVA has no mappings", -EOPNOTSUPP) : 0;
	else
		sim_mapped_doom(item->sdev, nth, fate);
	mutex_unlock(&item->lock);
	return err ?: len;
}
CONFIGFS_ATTR(sim_faults_, mapping);

/* An event of a live device, now. */
static ssize_t event_now(struct sim_item *item, const char *attr, int (*event)(struct sim_item *item), size_t len)
{
	int err;

	mutex_lock(&item->lock);
	if (item->sdev)
		err = event(item);
	else
		err = fault_refuse(item, attr, "the device isn't live", -ENODEV);
	mutex_unlock(&item->lock);
	return err ?: len;
}

/* Stores of 1 that trigger such an event. */
static ssize_t event_store(struct config_item *ci, const char *attr, int (*event)(struct sim_item *item),
			   const char *page, size_t len)
{
	struct sim_item *item = faults_item(ci);
	unsigned int on;

	if (kstrtouint(page, 10, &on) || on != 1)
		return fault_refuse(item, attr, "expected 1", -EINVAL);
	return event_now(item, attr, event, len);
}

static void overflow_report(struct wdm_device *model, void *arg)
{
	*(int *)arg = wdm_fault_overflow(model);
}

static int events_overflow(struct sim_item *item)
{
	int err;

	/* No driver has a ring for the event. */
	if (!sim_config_memory_enabled(sim_pf(item->sdev)))
		return fault_refuse(item, "overflow", "no driver has enabled memory decoding", -ENODEV);
	sim_worker_call(item->sdev, overflow_report, &err);
	return err;
}

static ssize_t sim_faults_overflow_store(struct config_item *ci, const char *page, size_t len)
{
	return event_store(ci, "overflow", events_overflow, page, len);
}
CONFIGFS_ATTR_WO(sim_faults_, overflow);

static int device_vanish(struct sim_item *item)
{
	sim_device_vanish(item->sdev);
	return 0;
}

static ssize_t sim_faults_gone_store(struct config_item *ci, const char *page, size_t len)
{
	return event_store(ci, "gone", device_vanish, page, len);
}
CONFIGFS_ATTR_WO(sim_faults_, gone);

static int device_pull_out(struct sim_item *item)
{
	sim_item_go_away(item, true);
	return 0;
}

static ssize_t sim_faults_remove_store(struct config_item *ci, const char *page, size_t len)
{
	if (sysfs_streq(page, "now"))
		return event_now(faults_item(ci), "remove", device_pull_out, len);
	return rule_store(ci, "remove", WDM_FAULT_REMOVE, page, len);
}

static ssize_t sim_faults_remove_show(struct config_item *ci, char *page)
{
	return rule_show(ci, WDM_FAULT_REMOVE, page);
}
CONFIGFS_ATTR(sim_faults_, remove);

/* ------ the directory ------ */

static struct configfs_attribute *faults_attrs[] = {
	&sim_faults_attr_fail,
	&sim_faults_attr_delay,
	&sim_faults_attr_reorder,
	&sim_faults_attr_drop,
	&sim_faults_attr_duplicate,
	&sim_faults_attr_corrupt,
	&sim_faults_attr_stuck,
	&sim_faults_attr_mailbox,
	&sim_faults_attr_page_fault,
	&sim_faults_attr_seed,
	&sim_faults_attr_counts,
	&sim_faults_attr_error,
	&sim_faults_attr_aer,
	&sim_faults_attr_bind,
	&sim_faults_attr_mapping,
	&sim_faults_attr_reset,
	&sim_faults_attr_overflow,
	&sim_faults_attr_gone,
	&sim_faults_attr_remove,
	NULL,
};

static const struct config_item_type faults_type = {
	.ct_attrs = faults_attrs,
	.ct_owner = THIS_MODULE,
};

void sim_faults_init(struct sim_item *item)
{
	unsigned int kind;

	for (kind = 0; kind < WDM_FAULT_NAMED; kind++)
		item->shape.faults[kind].queue = WDM_FAULT_ANY;
	config_group_init_type_name(&item->faults, "faults", &faults_type);
	configfs_add_default_group(&item->faults, &item->group);
}
