#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# CPU time that HAProxy needs for a handshake, of which the same number begins in each second: without the provider,
# with it on an emulated device, and there with libcrypto's jobs. Rows as wd-bench prints them. The device's own
# threads, which take the place of hardware, are left out.
set -euo pipefail

. "$(dirname "$0")/../selftests/tls/tls.inc.sh"
. "$(dirname "$0")/../selftests/tls/haproxy.inc.sh"
need_set web

RATE=100 WARM=20 COUNT=300 ROUNDS=3
# As that of the row openssl.async64.ratio, but it computes.
DEVICE=(--hpre 1 --latency 500000)

# cpu_ns PID: of the threads that a device doesn't replace.
cpu_ns() {
	local task name ns sum=0

	for task in "/proc/$1/task"/*; do
		read -r name <"$task/comm"
		read -r ns _ <"$task/schedstat"
		[ "$name" = wd-emulate ] || sum=$((sum + ns))
	done
	echo $sum
}

# paced COUNT: that many handshakes, at the rate, which a machine that is too busy doesn't hold.
paced() {
	local start=$EPOCHREALTIME took

	OPENSSL_CONF=$PWD/client.cnf python3 "$TOP/selftests/tls/client.py" "$PORT" "$1" 16 paced "$CERTS/all.pem" \
		$RATE >clients ||
		{ cat clients haproxy.log >&2; return 1; }
	took=$((${EPOCHREALTIME/./} - ${start/./}))
	((took < 2000000 + 1500000 * $1 / RATE)) || echo "haproxy.sh: $1 handshakes took $((took / 1000)) ms" >&2
}

# sample VARIANT HOW: appends a handshake's nanoseconds to the file VARIANT. HOW: stock or provided.
sample() {
	local pid before

	haproxy_conf
	"$2" start haproxy web "${DEVICE[@]}" -- haproxy -W -db -p haproxy.pid -f haproxy.cfg
	listening haproxy "$PORT" >&2
	pid=$(children "$(cat haproxy.pid)")
	paced $WARM
	[ "$2" = stock ] || grep -qx wd-emulate "/proc/$pid/task"/*/comm
	before=$(cpu_ns "$pid")
	paced $COUNT
	echo $((($(cpu_ns "$pid") - before) / COUNT)) >>"$1"
	end_all
	[ "$2" = stock ] || [ "$(requests haproxy.stats hpre)" -ge $COUNT ]
}

# us VARIANT: its median.
us() { sort -n "$1" | sed -n "$((ROUNDS / 2 + 1))p" | awk '{ printf "%.1f", $1 / 1000 }'; }

# row NAME VARIANT FLOOR: of these variants.
row() {
	awk -v name="$1" -v value="$(us "$2")" -v floor="$(us "$3")" \
		'BEGIN { printf "row %s %s us %s %.3f\n", name, value, floor, value / floor }'
}

WORK=$(mktemp -d "${TMPDIR:-/tmp}/wd-bench.XXXXXX")
trap 'end_all; rm -rf "$WORK"' EXIT
cd "$WORK"
conf 'devices = require' 'fallback = no'
client_conf "$WITH_RSA" 'Groups = X25519'
for ((round = 0; round < ROUNDS; round++)); do
	JOBS='' sample stock stock
	JOBS='' sample waiting provided
	JOBS=ssl-mode-async sample jobs provided
done
row openssl.haproxy.us waiting stock
row openssl.haproxy.jobs.us jobs waiting
