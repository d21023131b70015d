#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The attributes of a live device are those of docs/abi/sysfs-class-uacce, no more and no fewer.
set -u

# shellcheck source=selftests/include/where.sh
. "$(dirname "$0")/../include/where.sh"
abi=$TOP/docs/abi/sysfs-class-uacce
n=0
failed=0

# result STATUS TITLE; on failure, stdin says why.
result() {
	n=$((n + 1))
	if [ "$1" = 0 ]; then
		echo "ok $n - $2"
	else
		sed 's/^/# /'
		echo "not ok $n - $2"
		failed=1
	fi
}

# The attributes that the document lists, as path and mode; the optional ones are left out unless the argument is "all".
documented() {
	awk -v want="$1" '
		$1 == "What:" { path = $2; sub("^/sys/class/uacce/<dev>/", "", path) }
		$1 == "Mode:" { mode = $2 }
		$1 == "Present:" { if (want == "all" || $2 == "always") print path, mode }
	' "$abi" | sort
}

# The attributes that the device has: groups under one name, without the device model's own files.
live() {
	local driver=${1%-*}

	(cd "/sys/class/uacce/$1" && find . -maxdepth 2 -type f -printf '%P %m\n' -o \
		\( -name device -o -name subsystem -o -name power \) -prune) |
		grep -v -e '^uevent ' -e '^dev ' | sed "s|^$driver-[^/]*/|<driver>-<algorithm>/|; s| | 0|" | sort -u
}

devices=$(ls /sys/class/uacce 2>/dev/null)
[ -n "$devices" ] || {
	echo '1..0 # SKIP no uacce device'
	exit 4
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

documented all >"$work/all"
documented always >"$work/always"
[ -s "$work/all" ]
result $? 'the document lists attributes' <<<"$abi: no entry found"
for device in $devices; do
	live "$device" >"$work/live"
	comm -23 "$work/live" "$work/all" >"$work/undocumented"
	[ ! -s "$work/undocumented" ]
	result $? "every attribute of $device is documented, with its mode" <"$work/undocumented"
	comm -13 "$work/live" "$work/always" >"$work/missing"
	[ ! -s "$work/missing" ]
	result $? "$device has every attribute that is always present" <"$work/missing"
done
echo "1..$n"
exit $failed
