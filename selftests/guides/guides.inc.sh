# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Follows a guide as a new user does, in a copy of the checkout's top folder; included by guides*.sh.

. "$(dirname "${BASH_SOURCE[0]}")/../include/tap.sh"

BLOCKS=$TOP/selftests/guides/blocks.py
export BUILD=${BUILD:-$TOP/build}
# A home of its own, below, is not to fetch the kernels again.
export WARPDRIVE_CACHE=${WARPDRIVE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/warpdrive}
# A new user has none of these, and a make of the guide's is not part of ours.
unset MAKEFLAGS MAKELEVEL MFLAGS OUT PKG_CONFIG_PATH LD_LIBRARY_PATH PREFIX DESTDIR
for name in $(compgen -e | grep '^WD_' || :); do
	unset "$name"
done

# The checkout, in which files can be made that don't lie in the real one. "build" is where it is for this run.
place() {
	local entry

	mkdir -p home warpdrive
	for entry in "$TOP"/* "$TOP"/.[!.]*; do
		[ ! -e "$entry" ] || [ "${entry##*/}" = build ] || ln -s "$entry" warpdrive/
	done
	ln -s "$BUILD" warpdrive/build
	export HOME=$PWD/home
}

# follow KINDS GUIDE: the guide's blocks of these kinds, in their order, in one shell.
follow() {
	python3 "$BLOCKS" script "$1" "$TOP/$2" >script
	place
	(cd warpdrive && bash ../script)
}
