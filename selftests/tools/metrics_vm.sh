#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# wdctl metrics on a running kernel with two simulated devices. WD_TEST_LONG=1: Prometheus and node exporter, too.

. "$(dirname "$0")/../include/tap.sh"
. "$(dirname "$0")/../include/tools_for_all.sh"
. "$(dirname "$0")/../include/kept.sh"

U=/sys/kernel/config/uacce
PORT=9760

[ -d $U/sections ] || skip "this kernel has no sections"
DEV0=$(ls $U/devices | sed -n 1p)
[ -n "$DEV0" ] || skip "there is no device"

at_exit() {
	wdctl apply --prune --revoke /dev/null >/dev/null
}

# The programs of others are in the host's cache, or these tests are skipped.
others() {
	kept programs observe || skip "the set is not in the cache: scripts/programs observe fetches it"
	"$TOP/scripts/programs" observe -- "$@"
}

# value SAMPLE FILE
value() {
	awk -v s="$1" '$1 == s { print $2 }' "$2"
}

has() {
	[ "$(value "$1" got)" = "$2" ] || { echo "expected $1 $2 in:"; grep "^${1%%\{*}" got; return 1; }
}

# serve: one process for each connection, as systemd's socket unit does it.
serve() {
	command -v systemd-socket-activate >/dev/null || skip "systemd-socket-activate isn't here"
	busybox ip link set lo up
	systemd-socket-activate -l 127.0.0.1:$PORT -a --inetd "$(command -v wdctl)" metrics --http >/dev/null 2>&1 &
	SERVER=$!
	until_true 30 fetch got
}

fetch() {
	busybox wget -q -O "$1" http://127.0.0.1:$PORT/metrics
}

test_contexts_and_refusals_of_a_section_are_counted() {
	wdctl section add A NumProcesses=2 SyncCtxs=1 AsyncCtxs=0 MaxExtraCtxs=1 Devices=$DEV0 >/dev/null
	# A shell that is not of POSIX goes on after a redirection that fails.
	wdctl run --section A -- bash -c "exec 7<>/dev/$DEV0 8<>/dev/$DEV0; : 9<>/dev/$DEV0; wdctl metrics" >got 2>err
	has 'warpdrive_up' 1
	has 'warpdrive_section_contexts{section="A",kind="granted"}' 2
	has 'warpdrive_section_contexts{section="A",kind="open"}' 1
	has 'warpdrive_section_contexts{section="A",kind="extra"}' 1
	has 'warpdrive_section_slots{section="A",state="attached"}' 1
	has 'warpdrive_section_slots{section="A",state="free"}' 1
	has 'warpdrive_section_state{section="A",state="live"}' 1
	has 'warpdrive_section_state{section="A",state="draining"}' 0
	has 'warpdrive_section_opens_total{section="A"}' 2
	has 'warpdrive_section_opens_refused_total{section="A",reason="full"}' 1
	wdctl metrics >got
	has 'warpdrive_section_contexts{section="A",kind="open"}' 0
	has 'warpdrive_section_contexts{section="A",kind="extra"}' 0
	grep device_info got
	grep -qE "_info\{device=\"$DEV0\",parent=\"[0-9a-f:.]+\",api=\"hisi_qm_v3\",simulated=\"true\"" got
	grep -qE '^warpdrive_events_lost_total [0-9]+$' got
	wdctl section del A >/dev/null
	wdctl metrics >got
	not grep -q 'section="A"' got
}

# What counts up lies between the lists before and after; the rest is equal where those two are.
test_metrics_equal_the_lists_at_50_moments_under_load() {
	local load

	wdctl section add B NumProcesses=2 Devices=$DEV0 >/dev/null
	head -c 300000 /dev/urandom >f
	while :; do wdctl run --section B -- wdzip -k -f f; wdzip -k -f f; done >load.log 2>&1 &
	load=$!
	compare_lists || { kill $load; tail -n 5 load.log; return 1; }
	kill $load
	wait $load || :
	# At rest all are equal.
	until_true 60 wdctl section del B >/dev/null
}

compare_lists() {
	python3 - <<'END'
import json
import random
import re
import subprocess
import time

DEVICE = {"opens_total": "opens", "device_resets_total": "resets", "context_errors_total": "ctx_errors",
          "wrong_results_total": "wrong_results", "requests_total": "function_requests",
          "engine_requests_total": "requests", "engine_errors_total": "request_errors",
          "engine_read_bytes_total": "bytes_in", "engine_written_bytes_total": "bytes_out",
          "engine_busy_cycles_total": "busy_cycles"}
SECTION = {"section_opens_total": "opens", "section_requests_total": "requests",
           "section_wrong_results_total": "wrong_results"}
SLOTS = {"total": "slots", "attached": "attached", "lingering": "lingering"}


def run(*words):
    return subprocess.run(("wdctl",) + words, check=True, capture_output=True, text=True).stdout


def lists():
    found = {}
    for d in json.loads(run("list", "--json"))["devices"]:
        for name, key in DEVICE.items():
            if d[key] is not None:
                found[name, d["name"], None] = d[key]
        found["opens_refused_total", d["name"], "full"] = d["refused_full"]
        found["opens_refused_total", d["name"], "other"] = d["refused"] - d["refused_full"]
        for state in ("total", "reserved", "used", "free", "quarantined"):
            found["device_queues", d["name"], state] = d[state]
    for s in json.loads(run("section", "list", "--json"))["sections"]:
        for name, key in SECTION.items():
            found[name, s["name"], None] = s[key]
        for state, key in SLOTS.items():
            found["section_slots", s["name"], state] = s[key]
        found["section_contexts", s["name"], "open"] = s["open_ctxs"]
        found["section_contexts", s["name"], "extra"] = s["extra_ctxs"]
        found["section_waiters", s["name"], None] = s["waiting"]
    return found


SAMPLE = re.compile(r'warpdrive_(\w+)\{(?:device|section)="([^"]*)"(?:,(?:state|reason|kind)="([^"]*)")?\} (\d+)$')
equal = compared = grown = 0
first = None
for _ in range(50):
    time.sleep(random.random() / 10)
    before, text, after = lists(), run("metrics"), lists()
    first = first or before
    samples = {(m[1], m[2], m[3]): int(m[4]) for m in map(SAMPLE.match, text.splitlines()) if m}
    missing = before.keys() - samples.keys()
    assert not missing, missing
    for key in before:
        low, high, value = before[key], after[key], samples[key]
        compared += 1
        if key[0].endswith("_total") and low <= high:
            assert low <= value <= high, (key, low, value, high)
        if low == high and key[0].endswith("_total"):
            assert value == low, (key, low, value)
    # Gauges go up and down in between: only a moment without any change compares them.
    if before == after:
        equal += 1
        assert all(samples[key] == before[key] for key in before), (before, samples)
    grown = sum(after[key] - first[key] for key in first if key[0] == "opens_total")
assert grown > 0, "nothing worked"
print(f"{compared} samples, {equal} quiet moments")
END
}

test_promtool_finds_nothing_wrong() {
	wdctl section add C Devices=$DEV0 >/dev/null
	wdctl metrics >got
	others promtool check metrics <got
	wdctl section del C >/dev/null
}

test_users_have_what_all_may_know() {
	wdctl section add D Devices=$DEV0 >/dev/null
	wdctl metrics | awk '!/^#/ { sub(/[{ ].*/, ""); print }' | sort -u >all
	as_nobody wdctl metrics | awk '!/^#/ { sub(/[{ ].*/, ""); print }' | sort -u >some
	[ "$(comm -23 all some | grep -vcE 'engine_|requests_total$|section_wrong')" = 0 ]
	[ "$(comm -13 all some | wc -l)" = 0 ]
	not grep -q requests some
	grep -q section_slots some
	wdctl section del D >/dev/null
}

test_half_open_and_huge_requests_pass() {
	serve
	python3 - $PORT <<'END'
import socket
import sys

port = int(sys.argv[1])
s = socket.create_connection(("127.0.0.1", port))
try:
    s.sendall(b"GET /metrics HTTP/1.1\r\nX: " + b"x" * (1 << 20))
except OSError:
    pass
half = [socket.create_connection(("127.0.0.1", port)) for _ in range(100)]
for h in half:
    h.sendall(b"GET /met")
END
	until_true 30 fetch got
	says 'warpdrive_up 1' got
	kill $SERVER
	wait $SERVER || :
}

test_prometheus_and_node_exporter_take_them() {
	[ -n "${WD_TEST_LONG:-}" ] || skip 'WD_TEST_LONG=1 starts Prometheus and node exporter'
	kept programs observe || skip "the set is not in the cache: scripts/programs observe fetches it"
	serve
	mkdir text
	wdctl metrics --output "$PWD/text/warpdrive.prom"
	cat >prometheus.yml <<END
global: { scrape_interval: 5s, scrape_timeout: 5s }
scrape_configs:
  - { job_name: socket, static_configs: [ { targets: ['127.0.0.1:$PORT'] } ] }
  - { job_name: node, static_configs: [ { targets: ['127.0.0.1:9100'] } ] }
END
	others prometheus-node-exporter --collector.disable-defaults --collector.textfile \
		--collector.textfile.directory="$PWD/text" --web.listen-address=127.0.0.1:9100 >node.log 2>&1 &
	others prometheus --config.file=prometheus.yml --storage.tsdb.path="$PWD/data" \
		--web.listen-address=127.0.0.1:9090 >prometheus.log 2>&1 &
	until_true 200 both_are_there || { tail -5 node.log prometheus.log; return 1; }
	others promtool query instant http://127.0.0.1:9090 node_textfile_scrape_error >got
	says '=> 0 @' got
	pkill -P $$ prometheus || :
	kill $SERVER $(jobs -p) 2>/dev/null || :
}

both_are_there() {
	others promtool query instant http://127.0.0.1:9090 \
		"warpdrive_device_queues{device=\"$DEV0\",state=\"total\"}" >queried 2>&1 &&
		grep -q 'job="socket"' queried && grep -q 'job="node"' queried
}

# The names of the dashboard and of the alerts are those of families.
test_dashboard_and_alerts_have_names_that_exist() {
	wdctl section add E Devices=$DEV0 >/dev/null
	wdctl metrics | sed 's/[{ ].*//' | LC_ALL=C sort -u >got
	for file in warpdrive.json alerts.yml; do
		grep -oE 'warpdrive_[a-z_]+' "$TOP/docs/grafana/$file" | LC_ALL=C sort -u >names
		[ "$(wc -l <names)" -ge 5 ]
		LC_ALL=C comm -23 names got >strange
		[ ! -s strange ] || { cat strange; false; }
	done
	others promtool check rules "$TOP/docs/grafana/alerts.yml"
	wdctl section del E >/dev/null
}

# Each family of the document is printed, and no other.
test_families_are_documented() {
	wdctl section add F Devices=$DEV0 >/dev/null
	wdctl metrics | sed -n 's/^# TYPE warpdrive_\([a-z_]*\) .*/\1/p' | sort >got
	sed -n '/^## Families/,$ s/^| \(`.*`\) |.*/\1/p' "$TOP/docs/metrics.md" | cut -d '|' -f 1 |
		grep -oE '[a-z_]+' | sort >documented
	diff documented got
	wdctl section del F >/dev/null
}

run_tests "$@"
