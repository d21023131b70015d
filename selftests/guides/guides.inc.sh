# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Follows a guide as a new user does, in a copy of the checkout's top folder; included by guides*.sh.

. "$(dirname "${BASH_SOURCE[0]}")/../include/tap.sh"

BLOCKS=$TOP/selftests/guides/blocks.py
export BUILD=${BUILD:-$TOP/build}
# The new home folder below must not make the kernels be fetched again.
export WARPDRIVE_CACHE=${WARPDRIVE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/warpdrive}
# A new user has none of these variables, and a guide's make isn't part of our make.
unset MAKEFLAGS MAKELEVEL MFLAGS OUT PKG_CONFIG_PATH LD_LIBRARY_PATH PREFIX DESTDIR
for name in $(compgen -e | grep '^WD_' || :); do
	unset "$name"
done

# A copy of the checkout's top folder, for files that must not be created in the real one. "build" is this run's.
place() {
	local entry

	mkdir -p home warpdrive
	for entry in "$TOP"/* "$TOP"/.[!.]*; do
		[ ! -e "$entry" ] || [ "${entry##*/}" = build ] || ln -s "$entry" warpdrive/
	done
	ln -s "$BUILD" warpdrive/build
	export HOME=$PWD/home
}

# Behind each simulated device of a guide; "@nosva": it has no shared virtual addressing.
DEVICES=

# script_of KINDS GUIDE: makes "script" of the guide's blocks of these kinds.
script_of() {
	local pair=zip$DEVICES,zip$DEVICES

	python3 "$BLOCKS" script "$1" "$TOP/$2" >script
	[ -n "$DEVICES" ] || return 0
	sed -Ei -e "/--sim |devices=/s/\b(zip|sec|hpre)\b/&$DEVICES/g" \
		-e 's|echo 1 >\$many/live|echo 0 >$many/sva; &|' \
		-e "s|scripts/vm\" |&--sim $pair |; s|^make demo|scripts/vm --sim $pair -- scripts/demo inside|" script
}

# follow KINDS GUIDE: runs the guide's blocks of these kinds in order, in one shell. Guides install, by way of a folder
# that all installations of a checkout share.
follow() {
	script_of "$1" "$2"
	place
	(cd warpdrive && flock "$BUILD/guides.lock" bash ../script)
}

# bytes_of PROGRAM FILE: what devices have compressed for it, in all of its processes.
bytes_of() {
	awk -v program="program=$1" \
		'$1 == program { sub(/.*deflate_device_bytes=/, ""); n += $0 } END { print n + 0 }' "$2"
}
