// SPDX-License-Identifier: Apache-2.0
/* Units of systemd for 'wdctl metrics'. */
#include "export_metrics.h"

static void unit_head(FILE *f, const char *format, const char *description)
{
	fprintf(f,
		"# Written by 'wdctl export %s'.\n"
		"[Unit]\n"
		"Description=%s\n"
		"Documentation=man:wdctl-metrics(8)\n",
		format, description);
}

static void sandbox(FILE *f)
{
	fprintf(f,
		"NoNewPrivileges=yes\n"
		"PrivateTmp=yes\n"
		"PrivateDevices=yes\n"
		"ProtectHome=yes\n"
		"ProtectKernelModules=yes\n"
		"ProtectKernelTunables=yes\n"
		"ProtectControlGroups=yes\n"
		"RestrictAddressFamilies=AF_NETLINK AF_UNIX\n"
		"RestrictNamespaces=yes\n"
		"RestrictSUIDSGID=yes\n"
		"MemoryDenyWriteExecute=yes\n"
		"MemoryMax=64M\n"
		"TasksMax=4\n");
}

void export_metrics_socket(FILE *f, const char *program)
{
	(void)program;
	unit_head(f, "metrics-socket", "WarpDrive's metrics for Prometheus, http://127.0.0.1:9760/metrics");
	fprintf(f,
		"\n"
		"[Socket]\n"
		"ListenStream=127.0.0.1:9760\n"
		"Accept=yes\n"
		"MaxConnections=64\n"
		/* Many connections must not end the socket: each ends after some seconds by itself. */
		"TriggerLimitIntervalSec=0\n"
		"\n"
		"[Install]\n"
		"WantedBy=sockets.target\n");
}

void export_metrics_http(FILE *f, const char *program)
{
	unit_head(f, "metrics-http", "One request for WarpDrive's metrics");
	fprintf(f,
		"CollectMode=inactive-or-failed\n"
		"\n"
		"[Service]\n"
		"ExecStart=%s metrics --http\n"
		"StandardInput=socket\n"
		"StandardOutput=socket\n"
		"StandardError=journal\n"
		/* The program itself ends after 5; where many start on a slow machine, each takes seconds to begin. */
		"RuntimeMaxSec=60\n"
		"DynamicUser=yes\n"
		"CapabilityBoundingSet=\n"
		"ProtectSystem=strict\n",
		program);
	sandbox(f);
}

void export_metrics_file(FILE *f, const char *program)
{
	unit_head(f, "metrics-file", "Write WarpDrive's metrics for node exporter");
	fprintf(f,
		"ConditionPathIsDirectory=" EXPORT_METRICS_FOLDER "\n"
		"\n"
		"[Service]\n"
		"Type=oneshot\n"
		"ExecStart=%s metrics --output " EXPORT_METRICS_FOLDER "/" EXPORT_METRICS_FILE "\n"
		/* The kernel counts requests for an administrator only; the folder may belong to a user. */
		"CapabilityBoundingSet=CAP_SYS_ADMIN CAP_DAC_OVERRIDE\n"
		"ProtectSystem=strict\n"
		"ReadWritePaths=" EXPORT_METRICS_FOLDER "\n",
		program);
	sandbox(f);
}

void export_metrics_timer(FILE *f, const char *program)
{
	(void)program;
	unit_head(f, "metrics-timer", "Write WarpDrive's metrics every 15 seconds");
	fprintf(f,
		"\n"
		"[Timer]\n"
		"OnActiveSec=0\n"
		"OnUnitActiveSec=15\n"
		"AccuracySec=1\n"
		"\n"
		"[Install]\n"
		"WantedBy=timers.target\n");
}
