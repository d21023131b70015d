// SPDX-License-Identifier: Apache-2.0
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "qat.h"

#define CONTEXTS ": SyncCtxs and AsyncCtxs say how many contexts a process gets on each device"

/* As in the configuration files that the QAT driver's guides describe. */
static const struct {
	const char *key, *instead;
} keys[] = {
	{ "NumberCyInstances", CONTEXTS },
	{ "NumberDcInstances", CONTEXTS },
	{ "ServicesEnabled", ": each device has the services of its engine" },
	{ "ServicesProfile", ": each device has the services of its engine" },
	{ "SRIOV_Enabled", ": 'wdctl device set DEVICE Functions=N' enables virtual functions" },
	{ "AutoResetOnError", ": the driver resets a device that fails" },
	{ "CyNumConcurrentSymRequests", "" }, { "CyNumConcurrentAsymRequests", "" }, { "DcNumConcurrentRequests", "" },
	{ "InterruptCoalescingEnabled", "" }, { "InterruptCoalescingTimerNs", "" },
	{ "InterruptCoalescingNumResponses", "" }, { "DcIntermediateBufferSizeInKB", "" }, { "StorageEnabled", "" },
	{ "SVMEnabled", "" }, { "ATEnabled", "" }, { "KptEnabled", "" },
	{ "NumCyAccelUnits", "" }, { "NumDcAccelUnits", "" }, { "NumInlineAccelUnits", "" },
	{ "ConfigVersion", "" }, { "CyHmacAuthMode", "" }, { "PkeServiceDisabled", "" }, { "ProcDebug", "" },
	{ "drbgPollAndWaitTimeMS", "" }, { "dcTotalSRAMAvailable", "" }, { "Firmware_MofPath", "" },
	{ "Firmware_MmpPath", "" }, { "statsGeneral", "" }, { "statsDh", "" }, { "statsDrbg", "" }, { "statsDsa", "" },
	{ "statsEcc", "" }, { "statsKeyGen", "" }, { "statsDc", "" }, { "statsLn", "" }, { "statsPrime", "" },
	{ "statsRsa", "" }, { "statsSym", "" }, { "statsMisc", "" },
};

/* Cy0Name, Dc12CoreAffinity and the like, one for each instance. */
static const struct {
	const char *end, *instead;
} instance[] = {
	{ "Name", ": contexts have no names" },
	{ "IsPolled", ": a program polls, or WD_POLL_THREADS starts threads that do" },
	{ "CoreAffinity", ": a process gets contexts near the CPU it runs on; Nodes reserves them by NUMA node" },
};

/* The case of keys doesn't matter. */
static bool is_word(const char *word, const char *key, size_t len)
{
	return strlen(word) == len && !strncasecmp(word, key, len);
}

static const char *instance_key(const char *key, size_t len)
{
	size_t at = 2, i;

	if (len < 3 || (strncasecmp(key, "Cy", 2) && strncasecmp(key, "Dc", 2)) || !isdigit((unsigned char)key[2]))
		return NULL;
	while (at < len && isdigit((unsigned char)key[at]))
		at++;
	for (i = 0; i < sizeof(instance) / sizeof(instance[0]); i++)
		if (is_word(instance[i].end, key + at, len - at))
			return instance[i].instead;
	return NULL;
}

const char *qat_key(const char *key, size_t len)
{
	size_t i;

	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (is_word(keys[i].key, key, len))
			return keys[i].instead;
	return instance_key(key, len);
}

bool qat_is_device_section(const char *name)
{
	return !strcmp(name, "GENERAL") || !strcmp(name, "KERNEL") || !strcmp(name, "KERNEL_QAT");
}
