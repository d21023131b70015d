// SPDX-License-Identifier: Apache-2.0
/* wdctl doctor: checks whether accelerators can be used here; each problem comes with its remedy. */
#include <stdio.h>
#include <string.h>

#include "ask.h"
#include "cmd.h"
#include "lib/container.h"
#include "lib/device.h"
#include "lib/health.h"
#include "lib/health_unit.h"
#include "lib/json.h"
#include "lib/kconfig.h"
#include "lib/module.h"
#include "provision.h"

#define UNIT 'u'

static int print_json(const struct health *h)
{
	struct json_object *top = json_object_new_object();

	if (!top)
		return -1;
	json_object_object_add(top, "findings", json_from_health(h));
	json_object_object_add(top, "problems", json_object_new_int64(health_problems(h)));
	printf("%s\n", json_object_to_json_string_ext(top, JSON_C_TO_STRING_PRETTY |
						      JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(top);
	return 0;
}

static int examine(const struct root *root, struct health *h)
{
	struct health_input in = { .root = root, .version = WD_VERSION };
	struct device_list devices;
	struct kconfig config;
	int ret;

	ret = module_db_open(&in.modules, root, NULL);
	if (ret)
		return ret;
	ret = device_list_read(root, &devices);
	if (ret)
		goto err_close_modules;
	ask_counts(root, &devices, false);
	in.devices = &devices;
	if (!kconfig_open(&config, root))
		in.config = &config;
	in.container = container_inside(root);
	if (in.container) {
		health_check_container(h, &in);
	} else {
		health_check_kernel(h, &in);
		health_check_modules(h, &in);
		health_check_foreign(h, &in);
	}
	health_check_devices(h, &in);
	if (!in.container)
		health_check_simulator(h, &in);
	health_check_algorithms(h, &in);
	health_check_openssl(h, &in);
	health_check_zlib(h, &in);
	health_check_zstd(h, &in);
	health_check_sections(h, &in);
	if (!in.container)
		health_check_declared(h, &in);
	health_check_metrics(h, &in);
	health_check_host(h, &in);
	if (in.config)
		kconfig_close(&config);
	device_list_free(&devices);
	ret = h->error;
err_close_modules:
	module_db_close(in.modules);
	return ret;
}

static int examine_unit(const struct wdctl_run *r, struct health *h)
{
	struct device_list devices;
	struct provision p;
	struct unit u;
	bool sections;
	char why[600];
	int ret;

	if (unit_read(&u, r->opt[UNIT], why, sizeof(why))) {
		health_add(h, HEALTH_PROBLEM, "unit", "%s", why);
		health_remedy(h, "name a unit that 'systemctl list-unit-files' has, on a machine that systemd has "
			      "started");
		return 0;
	}
	ret = device_list_read(&r->root, &devices);
	if (!ret) {
		sections = root_exists(&r->root, TREE_PATH) && provision_open(&p, r, "doctor", false) == EXIT_DONE;
		health_check_unit(h, r->opt[UNIT], &u, &devices, sections ? &p.kernel : NULL);
		if (sections)
			provision_close(&p);
		device_list_free(&devices);
		ret = h->error;
	}
	unit_free(&u);
	return ret;
}

static enum wdctl_exit doctor_run(const struct wdctl_run *r)
{
	struct health h = { 0 };
	enum wdctl_exit result;
	int ret;

	if (r->opt[UNIT] && root_is_fake(&r->root)) {
		wdctl_error("doctor", "--unit: expected without --root, since the systemd that runs is asked");
		return EXIT_USAGE;
	}
	ret = r->opt[UNIT] ? examine_unit(r, &h) : examine(&r->root, &h);
	if (!ret && r->json)
		ret = print_json(&h);
	else if (!ret)
		health_print(&h);
	result = health_problems(&h) ? EXIT_FAILED : EXIT_DONE;
	health_free(&h);
	if (ret) {
		wdctl_error("doctor", "%s", strerror(-ret));
		return EXIT_FAILED;
	}
	return result;
}

static const struct wdctl_option doctor_options[] = {
	{ UNIT, "unit", "UNIT", "find what keeps accelerators from a unit of systemd" },
	{ 0 },
};

const struct wdctl_cmd cmd_doctor = {
	.name = "doctor",
	.help = "check whether accelerators can be used here, and print remedies",
	.kind = WDCTL_QUERY,
	.options = doctor_options,
	.run = doctor_run,
};
