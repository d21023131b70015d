// SPDX-License-Identifier: Apache-2.0
/* wdctl doctor: checks whether accelerators can be used here; each problem comes with its remedy. */
#include <stdio.h>
#include <string.h>

#include "ask.h"
#include "cmd.h"
#include "lib/container.h"
#include "lib/device.h"
#include "lib/health.h"
#include "lib/json.h"
#include "lib/kconfig.h"
#include "lib/module.h"

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

static enum wdctl_exit doctor_run(const struct wdctl_run *r)
{
	struct health h = { 0 };
	enum wdctl_exit result;
	int ret;

	ret = examine(&r->root, &h);
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

const struct wdctl_cmd cmd_doctor = {
	.name = "doctor",
	.help = "check whether accelerators can be used here, and print remedies",
	.kind = WDCTL_QUERY,
	.run = doctor_run,
};
