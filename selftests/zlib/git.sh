#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# git, whose objects and packs devices compress. It compares the totals that zlib counts, checks each object's checksum,
# and names an object by what is in it.
# WD_TEST_LONG=1: each level, and larger files.

. "$(dirname "$0")/zlib.inc.sh"
need_kept_set git-tools

LEVELS='1 6' SIZES='70000 1500000'
[ -z "${WD_TEST_LONG:-}" ] || LEVELS='1 2 3 4 5 6' SIZES='65535 65536 65537 262144 1500000 10000000'
# Nothing of the user's own.
export XDG_CONFIG_HOME=/nowhere GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null
export GIT_AUTHOR_NAME=tester GIT_AUTHOR_EMAIL=tester@localhost GIT_COMMITTER_NAME=tester \
	GIT_COMMITTER_EMAIL=tester@localhost
OPTIONS=()

git_here() { on_devices git-tools "${OPTIONS[@]}" -- git "$@"; }
git_stock() { stock with_set git-tools git "$@"; }

# make_repository LEVEL: the folder one, with two commits of files of each size.
make_repository() {
	local size

	git_here init -q -b main one
	git_here -C one config core.compression "$1"
	for size in $SIZES; do
		data "$size" "one/$size"
	done
	commit
	for size in $SIZES; do
		(cd one && { head -c 30000 "$size"; echo "another line"; cat "$size"; } >new && mv new "$size")
	done
	commit
}
commit() {
	git_here -C one add .
	git_here -C one commit -q -m 'all of it'
}

# A repository is whole for both, and has the files.
whole() {
	git_here -C "$1" fsck --full --strict
	git_stock -C "$1" fsck --full --strict
	rm -rf there
	mkdir there
	git_stock -C "$1" archive HEAD | tar -C there -xf -
	diff -r --exclude=.git one there
}

# lives LEVEL: commits, clones, repacks.
lives() {
	make_repository "$1"
	whole one
	devices_deflated $((${SIZES##* } * 2)) git
	git_here clone -q "file://$PWD/one" two
	whole two
	mv did before
	git_here -C one gc -q --prune=now
	devices_deflated "${SIZES##* }" git
	whole one
	git_stock clone -q "file://$PWD/one" three
	whole three
}

test_repositories() {
	local level

	for level in $LEVELS; do
		mkdir "$level"
		(cd "$level" && lives "$level")
	done
}

# Of level 9 zlib makes all, with the names and packs that it always makes.
test_the_highest_level_is_zlib_s() {
	git_here init -q one
	git_here -C one config core.compression 9
	data 300000 one/file
	commit
	none_deflated
	git_stock init -q two
	git_stock -C two config core.compression 9
	cp one/file two/file
	git_stock -C two add file
	(cd two/.git/objects && find . -type f -size +64k) | while read -r object; do
		same "one/.git/objects/$object" "two/.git/objects/$object"
	done
}

test_devices_that_fail() {
	OPTIONS=(--fault fail=60/4)
	make_repository 3
	did_at_least 1 parts_redone git
	OPTIONS=()
	whole one
}

test_devices_that_go_away() {
	OPTIONS=(--fault remove=1/4)
	make_repository 3
	OPTIONS=()
	whole one
}

run_tests "$@"
