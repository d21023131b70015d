/* SPDX-License-Identifier: Apache-2.0 */
/* Units of systemd for 'wdctl metrics'. */
#ifndef WDCTL_EXPORT_METRICS_H
#define WDCTL_EXPORT_METRICS_H

#include <stdio.h>

#define EXPORT_METRICS_FOLDER "/var/lib/prometheus/node-exporter"
#define EXPORT_METRICS_FILE "warpdrive.prom"

/** export_metrics_socket() - print a socket that starts a service for each connection. */
void export_metrics_socket(FILE *f, const char *program);
/** export_metrics_http() - print the template of that service, which has no privileges. */
void export_metrics_http(FILE *f, const char *program);
/** export_metrics_file() - print a service that writes a file for node exporter. */
void export_metrics_file(FILE *f, const char *program);
/** export_metrics_timer() - print a timer of that service. */
void export_metrics_timer(FILE *f, const char *program);

#endif
