# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by tests on stock machines (scripts/machine), after tap.sh: modules for them, and boots of one disk for each
# release. The variable suite names the release.

# long_only WHAT [FOLDER]: such a test runs on demand. Makes the folder scratch in FOLDER, which has the disks.
long_only() {
	[ -n "${WD_TEST_LONG:-}" ] || { echo "1..0 # SKIP $1; WD_TEST_LONG=1 runs it"; exit 4; }
	scratch=$(mktemp -d -p "${2:-${TMPDIR:-/tmp}}" wd-machine.XXXXXX)
	trap 'rm -rf "$scratch"' EXIT
	trap 'exit 143' TERM INT HUP
}

# Modules are built here, in a root folder with the machine's headers at the machine's paths: emulated, it takes long.
# The image's kernel says which headers: it may be older or newer than a root folder that is in the cache.
modules_built() {
	local image release root

	image=$(scripts/machine-image "$1") &&
		release=$(PATH=$PATH:/sbin debugfs -R 'ls -p /boot' "$image" 2>/dev/null | cut -d/ -f6 |
			sed -n 's/^vmlinuz-//p' | sort -V | tail -n 1) &&
		root=$(scripts/root make "$1" amd64 "linux-headers-$release" gcc make rsync kmod libelf1) || return
	scripts/root run "$root" -b "$TOP" -- env "BUILD=$TOP/build" bash -c 'cd "$0" && scripts/modules "$1"' "$TOP" \
		"/usr/src/linux-headers-$release"
}

# in_machine COMMANDS [OPTION]...: a boot of this release's disk, with options of scripts/machine.
in_machine() {
	scripts/machine run --suite "$suite" --disk "$scratch/$suite" "${@:2}" -- bash -ec "$1"
}

# list_files PATH...: the command that lists every file but these, and those that a running system writes by itself.
list_files() {
	printf 'find / -xdev \\('
	printf ' -path "%s" -o' /run /tmp /var/log /var/lib/systemd /var/tmp /var/cache /var/backups /root "$@"
	printf ' -path "%s" \\) -prune -o -print | sort' "$TOP"
}
