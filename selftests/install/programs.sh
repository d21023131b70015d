#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# scripts/programs runs programs out of the cache, and a download that isn't complete is never taken for one that is.
set -u
cd "${TOP:-$(dirname "$0")/../..}" || exit 1
. selftests/include/tap.sh

scratch=$(mktemp -d)
chmod 755 "$scratch"
trap 'rm -rf "$scratch"' EXIT
export scratch

programs() { timeout 600 scripts/programs "$@" >"$scratch/out" 2>"$scratch/err" </dev/null; }
# gives CODE TEXT COMMAND...: that exit status, and the text in stdout or stderr.
gives() {
	local want=$1 text=$2 code=0

	shift 2
	"$@" || code=$?
	if [ $code != "$want" ] || ! cat "$scratch/out" "$scratch/err" | grep -qF -- "$text"; then
		echo "exit status $code, not $want, or no '$text':"
		cat "$scratch/out" "$scratch/err"
		return 1
	fi
}

# Debian's programs, in the cache of this user.
prints() { gives 0 "$1" programs web -- "${@:2}"; }
from_the_cache() {
	programs web && folder=$(cat "$scratch/out") && [ -x "$folder/usr/sbin/nginx" ] &&
		gives 0 "$folder/usr/sbin/nginx" programs web -- sh -c 'command -v nginx'
}
soon() {
	local TIMEFORMAT='%U %S' used

	used=$( { time programs web -- true; } 2>&1) && awk '{ if ($1 + $2 >= 2) { print $0; exit 1 } }' <<<"$used"
}
its_status() { gives 7 words programs web -- sh -c 'echo words >&2; exit 7'; }

# From here on apt-get is a stand-in, with two packages of its own, and the cache is empty. Its next download takes the
# place that the file "manner" names.
make_stand_in() {
	local name

	mkdir -p "$scratch/bin" "$scratch/debs"
	for name in made-up libc6; do
		mkdir -p "$scratch/$name/DEBIAN" "$scratch/$name/usr/bin"
		printf '%s\n' "Package: $name" 'Version: 1' 'Architecture: all' \
			'Maintainer: nobody <nobody@example.org>' \
			'Priority: optional' 'Description: none' >"$scratch/$name/DEBIAN/control"
		printf '#!/bin/sh\necho "this is %s, $*"\n' "$name" >"$scratch/$name/usr/bin/$name"
		chmod 4755 "$scratch/$name/usr/bin/$name"
		head -c 5000000 /dev/zero >"$scratch/$name/usr/bin/ballast"
		dpkg-deb --build --root-owner-group -Zgzip "$scratch/$name" "$scratch/debs" >/dev/null || return
	done
	cat >"$scratch/bin/apt-get" <<-'END'
		#!/bin/bash
		case $* in
		*indextargets*)
			echo http://localhost/debian bookworm main /usr/share/keyrings/debian-archive-keyring.gpg
			exit
			;;
		*update*) exit ;;
		*source*=3*) echo "E: 404  Not Found"; exit 100 ;;
		*source*=2*) [ -e "$scratch/manner" ] && cp "$scratch"/made-up_2* .; exit ;;
		*archives=*) ;;
		*) exit 1 ;;
		esac
		to=$* to=${to#*archives=} to=${to%% *}
		echo >>"$scratch/downloads"
		case $(cat "$scratch/manner") in
		hangs) cp "$scratch"/debs/made-up* "$to"; echo $$ >"$scratch/hanging"; exec sleep 300 ;;
		breaks) cp "$scratch"/debs/made-up* "$to"; echo 'E: the mirror is away'; exit 100 ;;
		cut) head -c 3000 "$scratch"/debs/made-up* >"$to/made-up.deb" ;;
		*) cp "$scratch"/debs/* "$to" ;;
		esac
	END
	printf '#!/bin/sh\n[ $3 != made-up ] || echo "Version: 2\nVersion: 3"\n' >"$scratch/bin/apt-cache"
	chmod +x "$scratch"/bin/apt-*
	PATH=$scratch/bin:$PATH
	export WARPDRIVE_CACHE=$scratch/cache
}
empty_cache() {
	rm -rf "$WARPDRIVE_CACHE" "$scratch/downloads" "$scratch/hanging"
	echo "$1" >"$scratch/manner"
}
nothing_there() { ! find "$WARPDRIVE_CACHE/programs" -mindepth 2 | grep .; }
works() { gives 0 'this is made-up, a b' programs ssh -- made-up 'a b'; }
then_works() {
	nothing_there && echo works >"$scratch/manner" && works
}

host_parts_left_out() {
	empty_cache works
	works && gives 127 'libc6: neither in the set ssh nor in PATH' programs ssh -- libc6
}
no_privileges() { ! find "$WARPDRIVE_CACHE/programs" -perm /6000 | grep .; }
broken() {
	empty_cache "$1"
	gives 69 "$2" programs ssh -- true && then_works
}
# A container's first process may leave the ended ones as zombies.
gone() { ! kill -0 "$1" 2>/dev/null || [ "$(cut -d' ' -f3 "/proc/$1/stat" 2>/dev/null)" = Z ]; }
# A shell's background processes ignore SIGINT.
stopped() {
	local pid code=0

	empty_cache hangs
	env --default-signal=INT scripts/programs ssh -- true >"$scratch/out" 2>"$scratch/err" </dev/null &
	pid=$!
	until_true 60 test -s "$scratch/hanging" || return
	kill "-$1" $pid
	wait $pid || code=$?
	[ $code = "$2" ] || { echo "exit status $code, not $2"; return 1; }
	says 'programs: interrupted; nothing of it is kept' "$scratch/err" &&
		until_true 20 gone "$(cat "$scratch/hanging")" && then_works
}
# A killed run's own download goes on; its end is that of the sleep.
killed() {
	local pid

	empty_cache hangs
	scripts/programs ssh -- true >"$scratch/out" 2>"$scratch/err" </dev/null &
	pid=$!
	until_true 60 test -s "$scratch/hanging" || return
	kill -KILL $pid
	wait $pid
	kill "$(cat "$scratch/hanging")"
	echo works >"$scratch/manner"
	works && ! find "$WARPDRIVE_CACHE/programs" -name '*.new.*' | grep .
}
two_at_once() {
	local first second

	empty_cache works
	scripts/programs ssh -- made-up 1 >"$scratch/out" 2>"$scratch/err" </dev/null &
	first=$!
	scripts/programs ssh -- made-up 2 >"$scratch/out2" 2>"$scratch/err2" </dev/null &
	second=$!
	wait $first && wait $second && says 'made-up, 1' "$scratch/out" && says 'made-up, 2' "$scratch/out2" &&
		[ "$(wc -l <"$scratch/downloads")" = 1 ]
}
fetched_again() {
	empty_cache works
	works && works && [ "$(wc -l <"$scratch/downloads")" = 1 ] || return
	scripts/kernel update && works && [ "$(wc -l <"$scratch/downloads")" = 2 ]
}
# The mount is seen by these commands only.
full_disk() {
	local unshare=(unshare -m)

	[ "$(id -u)" = 0 ] || unshare=(unshare -rm)
	"${unshare[@]}" true 2>/dev/null || { echo 'SKIP this user may not mount a small disk'; return 4; }
	empty_cache works
	mkdir "$WARPDRIVE_CACHE"
	export -f programs nothing_there
	gives 69 'No space left on device' \
		"${unshare[@]}" bash -c 'mount -t tmpfs -o size=1500k none "$WARPDRIVE_CACHE" &&
		{ programs ssh -- true; code=$?; nothing_there >&2 && exit $code; }'
}
# A source package, whose newer version the mirror lacks.
source_unpacked() {
	local folder=$scratch/sources/made-up-2

	command -v dpkg-source >/dev/null || { echo 'SKIP dpkg-source is not installed'; return 4; }
	empty_cache works
	mkdir -p "$folder/debian"
	printf '%s\n' 'made-up (2) unstable; urgency=low' '' '  * None.' '' \
		' -- nobody <nobody@example.org>  Thu, 01 Jan 2026 00:00:00 +0000' >"$folder/debian/changelog"
	printf '%s\n' 'Source: made-up' 'Maintainer: nobody <nobody@example.org>' '' 'Package: made-up' \
		'Architecture: all' \
		'Description: none' >"$folder/debian/control"
	echo words >"$folder/file"
	(cd "$scratch" && dpkg-source --format=1.0 -b "$folder") >/dev/null 2>&1 &&
		gives 0 'the mirror lacks version 3' programs --source made-up &&
		grep -qx words "$(cat "$scratch/out")/file" &&
		! find "$WARPDRIVE_CACHE/sources" -name debs -o -name '*.new.*' | grep .
}
# Beside the whole.
part_unpacked() {
	command -v dpkg-source >/dev/null || { echo 'SKIP dpkg-source is not installed'; return 4; }
	gives 0 'fetching the source of made-up' programs --source made-up --part debian &&
		[ "$(cd "$(cat "$scratch/out")" && find . -type f | sort | xargs)" = \
			'./debian/changelog ./debian/control' ] &&
		gives 69 'could not unpack debian no-such of made-up' \
			programs --source made-up --part debian --part no-such &&
		programs --source made-up && [ -e "$(cat "$scratch/out")/file" ]
}
source_unknown() {
	command -v dpkg-source >/dev/null || { echo 'SKIP dpkg-source is not installed'; return 4; }
	gives 69 'has no source package no-such' programs --source no-such
}
no_tool() {
	empty_cache works
	mkdir -p "$scratch/few"
	for name in bash awk cat cut env flock grep mkdir readlink realpath dirname rm timeout xargs; do
		ln -sf "$(command -v $name)" "$scratch/few/$name"
	done
	PATH=$scratch/few gives 69 'dpkg-deb not found; install the package dpkg' programs ssh -- true
}
callers_environment() {
	# shellcheck disable=SC2016
	LD_LIBRARY_PATH=/nowhere gives 0 "/nowhere: $WARPDRIVE_CACHE/programs" programs ssh -- \
		sh -c 'echo "${LD_LIBRARY_PATH%%:*}: $WARPDRIVE_PROGRAMS"'
}

test_that 'nginx runs from the cache' prints 'nginx version: nginx/' nginx -v
test_that 'HAProxy does' prints 'HAProxy version ' haproxy -v
test_that 'curl does' prints 'curl ' curl --version
test_that 'a call takes less than two seconds of the CPU when the cache has the set' soon
test_that 'without a command the folder is printed, whose programs come first' from_the_cache
test_that "the exit status is the command's" its_status
sets='web openssl ssh tls-peers db python-tests pytest compressors zstd dpdk git-tools rocksdb php node observe'
test_that 'an unknown set is refused, with those that are known' gives 2 \
	"no-such-set: expected a set among $sets" \
	programs no-such-set -- true
test_that 'so is none' gives 2 'nothing given: expected a set among web' programs
test_that 'so are two' gives 2 'ssh: expected one set' programs web ssh -- true
test_that 'so is an unknown option' gives 2 '--nonsense: expected --suite' programs web --nonsense -- true
test_that 'so is an option without its value' gives 2 '--suite: expected a value' programs web --suite
test_that 'so is an unknown release' gives 2 'woody: expected a release among bookworm' programs web --suite woody
test_that 'so is a command that is missing' gives 2 'expected a command behind --' programs web --
test_that 'so is a folder that is missing' gives 2 '--bind /nowhere: expected a folder' programs web --bind /nowhere
test_that 'so is the source of a set' gives 2 '--source: expected neither a set' programs web --source zlib
test_that 'so is the source of no name' gives 2 'a b: expected the name of a source package' programs --source 'a b'
test_that 'so is a part that leads elsewhere' gives 2 '--part ../x: expected a folder' \
	programs --source zlib --part ../x
test_that 'so is a part of a set' gives 2 '--part: expected --source' programs web --part debian
test_that 'the help names all sets' gives 0 '  python-tests: libpython3.N-testsuite' programs --help
make_stand_in || exit 1
test_that "the C library is the host's" host_parts_left_out
test_that 'no program has more privileges than its caller' no_privileges
test_that "the caller's libraries come first, and the command knows the folder" callers_environment
test_that 'a download that fails is reported, and done again' broken breaks 'E: the mirror is away'
test_that 'so is a package that is cut' broken cut 'could not unpack made-up.deb'
test_that 'so is one for which there is no space' full_disk
test_that 'Ctrl-C ends a download, and nothing of it stays' stopped INT 130
test_that 'so does SIGTERM' stopped TERM 143
test_that 'the next run drops what a killed one left' killed
test_that 'two at once download once' two_at_once
test_that 'after scripts/kernel update, the next run fetches again' fetched_again
test_that 'a source package is unpacked, in the newest version that the mirror has' source_unpacked
test_that 'so is a folder of it alone' part_unpacked
test_that 'one that is unknown is an error' source_unknown
test_that 'a tool that is missing is named' no_tool
tap_done
