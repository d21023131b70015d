#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# wdctl metrics without a kernel that answers: its file, its one request of HTTP, the units of systemd.

. "$(dirname "$0")/../include/tap.sh"
. "$(dirname "$0")/../include/kept.sh"

[ ! -e /sys/module/uacce ] || skip "this machine has the module"

# answer REQUEST: the status of the answer, by way of a pipe.
answer() {
	printf "$1" | wdctl metrics --http >got
	head -n 1 got | cut -d ' ' -f 2
}

# socket_test: Python's connections to wdctl by a socket, as systemd makes them. CLIENT is the client's part; it has s.
socket_test() {
	timeout 60 python3 - "$1" <<'END'
import socket
import subprocess
import sys
import time

here, there = socket.socketpair()
begin = time.monotonic()
p = subprocess.Popen(["wdctl", "metrics", "--http"], stdin=there, stdout=there)
there.close()
s = here
exec(sys.argv[1])
assert p.wait(timeout=50) == 0, p.returncode
END
}

test_without_the_module_it_says_so() {
	wdctl metrics >got
	golden got <<'END'
# HELP warpdrive_up 1: the kernel's module answers.
# TYPE warpdrive_up gauge
warpdrive_up 0
END
	wdctl metrics --openmetrics >got
	[ "$(tail -n 1 got)" = '# EOF' ]
}

golden() {
	diff -u - "$1"
}

test_bad_usage() {
	exits 2 wdctl metrics --http --output f 2>err
	says 'expected one of --output, --http and --openmetrics' err
	exits 2 wdctl metrics --output '' 2>err
	says 'expected the path of a file' err
	exits 2 wdctl metrics f 2>err
	says "unexpected argument 'f'" err
	absent f
}

test_a_file_is_replaced_at_once() {
	local i

	wdctl metrics --output f.prom
	says 'warpdrive_up 0' f.prom
	[ "$(stat -c %a f.prom)" = 644 ]
	# Two instances and a reader: there is a whole file at each moment.
	for ((i = 0; i < 50; i++)); do wdctl metrics --output f.prom; done &
	for ((i = 0; i < 50; i++)); do wdctl metrics --output f.prom; done &
	for ((i = 0; i < 200; i++)); do [ "$(tail -n 1 f.prom)" = 'warpdrive_up 0' ]; done
	wait
	[ "$(ls)" = f.prom ]
}

test_a_file_that_cant_be_written_stays() {
	exits 1 wdctl metrics --output nothing/f.prom 2>err
	says '--output nothing/f.prom: No such file or directory' err
	exits 1 wdctl metrics --output /dev/full 2>err
	says '--output /dev/full: No space left on device' err
	exits 1 wdctl metrics >/dev/full 2>err
	says 'standard output: No space left on device' err
	mkdir folder
	exits 1 wdctl metrics --output folder 2>err
	says '--output folder: Is a directory' err
	[ -z "$(ls folder)" ]
}

test_a_full_disk_leaves_the_old_file() {
	mkdir disk
	unshare -m sh -c 'mount -t tmpfs -o size=4k none disk' 2>/dev/null || skip 'no file system can be mounted here'
	unshare -m bash -eo pipefail -c '
	mount -t tmpfs -o size=8k none disk
	echo old >disk/f.prom
	cat /dev/zero >disk/filler 2>/dev/null || :
	! wdctl metrics --output disk/f.prom 2>err
	grep -qF "disk/f.prom: No space left on device" err
	[ "$(cat disk/f.prom)" = old ]
	[ "$(ls disk | xargs)" = "f.prom filler" ]'
}

test_requests_are_answered_or_refused() {
	[ "$(answer 'GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n')" = 200 ]
	says 'Content-Type: text/plain; version=0.0.4; charset=utf-8' got
	[ "$(tr -d '\r' <got | sed '1,/^$/d' | wc -c)" = "$(sed -n 's/^Content-Length: \([0-9]*\)\r/\1/p' got)" ]
	[ "$(answer 'GET /metrics HTTP/1.1\r\naccept: application/openmetrics-text;version=1.0.0\r\n\r\n')" = 200 ]
	says 'Content-Type: application/openmetrics-text; version=1.0.0' got
	[ "$(tail -n 1 got)" = '# EOF' ]
	[ "$(answer 'HEAD /metrics HTTP/1.1\r\n\r\n')" = 200 ]
	not grep -q warpdrive_up got
	[ "$(answer 'GET /metrics?x=y HTTP/1.1\r\n\r\n')" = 200 ]
	[ "$(answer 'GET / HTTP/1.1\r\n\r\n')" = 404 ]
	[ "$(answer 'GET /metricsx HTTP/1.1\r\n\r\n')" = 404 ]
	[ "$(answer 'POST /metrics HTTP/1.1\r\n\r\n')" = 405 ]
	[ "$(answer 'nonsense\r\n\r\n')" = 400 ]
	[ "$(answer 'GET /metrics HTTP/1.1\r\nA: \0\r\n\r\n')" = 400 ]
	[ "$(answer 'GET /metrics')" = 400 ]
	[ "$(answer '')" = 400 ]
}

test_a_huge_request_is_refused_and_not_reset() {
	socket_test '
s.sendall(b"GET /metrics HTTP/1.1\r\nX: " + b"x" * (1 << 20) + b"\r\n\r\n")
s.shutdown(socket.SHUT_WR)
got = b""
while (more := s.recv(65536)):
	got += more
assert got.startswith(b"HTTP/1.1 431 "), got[:80]'
}

test_a_client_that_is_slow_or_gone_ends_the_process() {
	socket_test '
s.sendall(b"GET /metrics HTTP/1.1\r\n")
assert s.recv(99).startswith(b"HTTP/1.1 408 ")'
	socket_test '
s.sendall(b"GET /metrics HTTP/1.1\r\n\r\n")
s.close()'
	socket_test '
s.sendall(b"GET /metrics HTTP/1.1\r\n\r\n")
p.wait(timeout=50)
assert s.recv(99).startswith(b"HTTP/1.1 200 ")'
}

test_units_name_the_program() {
	local unit

	for unit in metrics-http metrics-file; do
		wdctl export $unit --program /usr/sbin/wdctl >got
		says 'ExecStart=/usr/sbin/wdctl metrics --' got
		says 'NoNewPrivileges=yes' got
	done
	wdctl export metrics-http | grep -qx 'CapabilityBoundingSet='
	wdctl export metrics-socket | grep -qx 'ListenStream=127.0.0.1:9760'
	wdctl export metrics-timer | grep -qx 'OnUnitActiveSec=15'
	command -v systemd-analyze >/dev/null || skip "systemd-analyze is not here; the rest passed"
	wdctl export metrics-socket >got.socket
	wdctl export metrics-timer >got.timer
	wdctl export metrics-http --program /bin/true >got@.service
	wdctl export metrics-file --program /bin/true >got.service
	sed -i '/^Documentation/d' got*
	systemd-analyze verify "$PWD"/got[.@]* 2>err || { cat err; grep -q '/got.*: \|^got' err && return 1; }
}

# finding PATTERN: what the doctor says of the file of metrics on the machine r.
finding() {
	wdctl doctor --root r >got || :
	grep -qE "$1" got || { cat got; false; }
}

test_the_doctor_finds_an_old_file() {
	local folder=r/var/lib/prometheus/node-exporter

	mkdir -p r/etc/systemd/system/timers.target.wants r/proc/sys/kernel
	echo 6.1.0 >r/proc/sys/kernel/osrelease
	wdctl doctor --root r >got || :
	not grep -q ' metrics ' got
	: >r/etc/systemd/system/timers.target.wants/warpdrive-textfile.timer
	finding '^problem +metrics .*folder /var/lib/prometheus/node-exporter is missing'
	mkdir -p $folder
	finding '^problem +metrics .*there is no r/var/lib/prometheus/node-exporter/warpdrive.prom'
	wdctl metrics --output $folder/warpdrive.prom
	finding '^ok +metrics +.*warpdrive.prom is [0-9]+ seconds old'
	touch -d '1 hour ago' $folder/warpdrive.prom
	finding '^problem +metrics .*warpdrive.prom is 36[0-9]+ seconds old, although'
}

# The guide's pictures, of files that were made up.
test_files_of_metrics_can_be_plotted() {
	local i

	exits 2 "$TOP/docs/guide/figures/plot.sh" nothing 2>err
	kept programs observe || [ -n "${WD_TEST_LONG:-}" ] ||
		skip "the set is not in the cache: scripts/programs observe fetches it"
	mkdir hour
	for i in 1 2 3; do
		cat >hour/$((1000 + 60 * i)).prom <<-END
			warpdrive_section_requests_total{section="web"} $((100 * i))
			warpdrive_section_slots{section="web",state="attached"} $i
			warpdrive_section_waiters{section="web"} 0
			warpdrive_engine_read_bytes_total{device="hisi_zip-0"} $((5000 * i))
		END
	done
	"$TOP/scripts/programs" observe -- "$TOP/docs/guide/figures/plot.sh" hour >picture.svg
	[ "$(grep -c '<text>.*web\|>web<\|hisi_zip-0' picture.svg)" -ge 4 ]
	says 'minutes (2 in all)' picture.svg
	echo 'a <b>' | "$TOP/docs/guide/figures/text.sh" >text.svg
	says '>a &lt;b></text>' text.svg
}

# Debian's promtool reads the text format only.
test_promtool_reads_it() {
	kept programs observe || [ -n "${WD_TEST_LONG:-}" ] ||
		skip "the set is not in the cache: scripts/programs observe fetches it"
	wdctl metrics | "$TOP/scripts/programs" observe -- promtool check metrics
}

# What docs/metrics.md says of counters of 32 bits: bytes of a device that reads 100 MB/s.
test_the_documented_expression_is_exact_where_rate_is_not() {
	local i

	kept programs observe || [ -n "${WD_TEST_LONG:-}" ] ||
		skip "the set is not in the cache: scripts/programs observe fetches it"
	cat >rules.yml <<-END
		groups:
		- name: documented
		  rules:
		  - record: exact
		    expr: $(grep -x '(.* offset 15s .*' "$TOP/docs/metrics.md")
	END
	cat >test.yml <<-END
		rule_files: [rules.yml]
		evaluation_interval: 15s
		tests:
		- interval: 15s
		  input_series:
		  - series: warpdrive_engine_read_bytes_total
		    values: $(for ((i = 0; i < 300; i++)); do printf '%d ' $((i * 1500000000 % 2**32)); done)
		  promql_expr_test:
		  - {expr: 'min_over_time(exact[1h])', eval_time: 70m, exp_samples: [{value: 1e8}]}
		  - {expr: 'max_over_time(exact[1h])', eval_time: 70m, exp_samples: [{value: 1e8}]}
		  - expr: round(rate(warpdrive_engine_read_bytes_total[1h]) / 1e6, 10)
		    eval_time: 70m
		    exp_samples: [{value: 80}]
	END
	"$TOP/scripts/programs" observe -- promtool test rules test.yml
}

run_tests "$@"
