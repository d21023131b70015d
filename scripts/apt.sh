# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by the scripts that fetch Debian packages into the cache: the mirror that this host uses, apt with a
# configuration of its own, unpacking. The caller has the variable cache and the function fail.

# Debian's releases, oldest first. Programs of a release run on later ones, too.
# shellcheck disable=SC2034 # for those who source this
releases='bookworm trixie forky sid'

host_release() {
	. /etc/os-release
	echo "${VERSION_CODENAME:-bookworm}"
}

# Prints the mirror that the host uses for its own Debian release, and the key that signs its packages.
host_mirror() {
	local mirror key

	# shellcheck disable=SC2016 # apt's own words
	read -r mirror key < <(APT_CONFIG='' apt-get indextargets \
		--format '$(REPO_URI) $(RELEASE) $(COMPONENT) $(SIGNED_BY)' 'Identifier: Packages' |
		awk '$3 == "main" && $2 ~ /^(bookworm|trixie|forky|sid|oldstable|stable|testing)$/ {
			print $1, $4
			exit
		}') ||
		fail "no Debian mirror in this host's apt sources"
	[[ $key == /* && -r $key ]] || key=/usr/share/keyrings/debian-archive-keyring.gpg
	echo "$mirror $key"
}

host_security() {
	# shellcheck disable=SC2016 # apt's own words
	APT_CONFIG='' apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Identifier: Packages' |
		awk '$3 == "main" && $2 ~ /-security$/ { print $1; exit }'
}

# apt_sources SUITE ARCHITECTURES: prints the lines of a sources.list for that suite.
apt_sources() {
	local suite=$1 options mirror security key part

	read -r mirror key < <(host_mirror)
	[ -n "$key" ] || exit 1
	options="arch=$2 signed-by=$key"
	echo "deb [$options] $mirror $suite main"
	# A release that isn't out yet may lack these parts.
	case $suite in
	# It has only what is newer than sid, and not all that this depends on.
	experimental)
		echo "deb [$options] $mirror sid main" ;;
	bookworm|trixie)
		for part in updates backports; do
			echo "deb [$options] $mirror $suite-$part main"
		done
		security=$(host_security)
		[ -z "$security" ] || echo "deb [$options] $security $suite-security main" ;;
	esac
}

# apt_setup SUITE [ARCH [deb-src]]: makes apt see SUITE only, for the rest of this run; ARCH is apt's own architecture.
# With deb-src it sees sources instead of packages.
apt_setup() {
	local suite=$1 arch=${2:-amd64} kind=${3:-deb}
	local apt=$cache/apt/$suite-$arch${kind#deb} sources

	command -v apt-get >/dev/null ||
		fail 'kernels, programs and root folders come as Debian packages, and there is no apt-get here'
	mkdir -p "$apt"/{state/lists/partial,cache/archives/partial}
	: >"$apt/status"
	sources=$(apt_sources "$suite" amd64,arm64) || exit
	# apt takes the newest source, wherever it is.
	[ "$kind" = deb ] || sources=$(sed "/-backports /d; s/^deb /$kind /" <<<"$sources")
	echo "$sources" >"$apt/sources.list"
	cat >"$apt/apt.conf" <<EOF
Dir::Etc::sourcelist "$apt/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts "/dev/null";
Dir::State "$apt/state";
Dir::State::status "$apt/status";
Dir::Cache "$apt/cache";
APT::Architecture "$arch";
APT::Architectures { "amd64"; "arm64"; };
APT::Default-Release "$([ "$suite" != experimental ] || echo "$suite")";
APT::Install-Recommends "false";
APT::Update::Error-Mode "any";
APT::Sandbox::User "root";
Acquire::Languages "none";
Acquire::Retries "3";
EOF
	export APT_CONFIG=$apt/apt.conf
	if [ ! -e "$apt/updated" ] || [ -n "$(find "$apt/updated" -mmin +720)" ]; then
		apt-get -q update >"$cache/apt/log" 2>&1 ||
			{ tail -n 5 "$cache/apt/log" >&2; fail 'could not fetch the package lists'; }
		touch "$apt/updated"
	fi
}

# newer_packages: makes the next run look for newer packages.
newer_packages() {
	rm -f "$cache"/apt/*/updated "$cache"/{programs,sources}/*/*/.warpdrive
}

# download FOLDER COMMAND...: the command leaves packages in FOLDER; if it fails, FOLDER is removed.
download() {
	local folder=$1

	shift
	(cd "$folder" && "$@" >"$cache/apt/log" 2>&1) ||
		{ tail -n 5 "$cache/apt/log" >&2; rm -rf "$folder"; fail "could not download: $*"; }
}

# Prints each fifth of a download that apt reports.
progress() {
	local kind percent next=20

	while IFS=: read -r kind _ percent _; do
		percent=${percent%%[.,]*}
		[ "$kind" = dlstatus ] && [ "$percent" -ge $next ] || continue
		echo "${0##*/}: $percent % are here" >&2
		next=$((percent + 20))
	done
}

# download_all FOLDER PACKAGE...: these packages and all that they depend on.
download_all() {
	mkdir -p "$1/partial"
	download "$1" apt-get -q -y --download-only -o "Dir::Cache::archives=$1" -o APT::Status-Fd=7 install "${@:2}" \
		7> >(progress)
}

# unpack_from FOLDER DIR: unpacks the packages in FOLDER into DIR, and removes FOLDER.
unpack_from() {
	local deb

	for deb in "$1"/*.deb; do
		dpkg-deb -x "$deb" "$2" || fail "could not unpack ${deb##*/}"
	done
	rm -rf "$1"
}

# What a killed run left in the folder goes: only the holder of the lock is here.
empty_debs() {
	rm -rf "$cache/debs"
	mkdir "$cache/debs"
}

# unpack DIR PACKAGE...: these packages alone.
unpack() {
	empty_debs
	download "$cache/debs" apt-get -q download "${@:2}"
	unpack_from "$cache/debs" "$1"
}

# unpack_all DIR PACKAGE...: these packages and all that they depend on.
unpack_all() {
	empty_debs
	download_all "$cache/debs" "${@:2}"
	unpack_from "$cache/debs" "$1"
}

# locked [WHAT]: one download at a time, or one of WHAT; call it in a subshell.
locked() {
	local what=${1:-download}

	mkdir -p "$cache"
	exec 8>"$cache/$what.lock"
	flock -n 8 || { echo "${0##*/}: waiting for another process to finish its $what" >&2; flock 8; }
}
