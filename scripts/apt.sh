# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by the scripts that fetch Debian packages into the cache: the mirror that this host uses, apt with a
# configuration of its own, unpacking. The caller has the variable cache and the function fail.

# Prints the mirror that the host uses for its own Debian release, and the key that signs its packages.
host_mirror() {
	local mirror key

	# shellcheck disable=SC2016 # apt's own words
	read -r mirror key < <(APT_CONFIG='' apt-get indextargets \
		--format '$(REPO_URI) $(RELEASE) $(COMPONENT) $(SIGNED_BY)' 'Identifier: Packages' |
		awk '$3 == "main" && $2 ~ /^(bookworm|trixie|forky|sid|oldstable|stable|testing)$/ { print $1, $4; exit }') ||
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
	bookworm|trixie)
		for part in updates backports; do
			echo "deb [$options] $mirror $suite-$part main"
		done
		security=$(host_security)
		[ -z "$security" ] || echo "deb [$options] $security $suite-security main" ;;
	esac
}

# apt_setup SUITE [ARCH]: makes apt see SUITE only, for the rest of this run; ARCH is apt's own architecture.
apt_setup() {
	local suite=$1 arch=${2:-amd64}
	local apt=$cache/apt/$suite-$arch

	command -v apt-get >/dev/null || fail 'kernels and root folders come as Debian packages, and there is no apt-get here'
	mkdir -p "$apt"/{state/lists/partial,cache/archives/partial}
	: >"$apt/status"
	apt_sources "$suite" amd64,arm64 >"$apt/sources.list"
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
APT::Install-Recommends "false";
APT::Sandbox::User "root";
Acquire::Languages "none";
Acquire::Retries "3";
EOF
	export APT_CONFIG=$apt/apt.conf
	if [ ! -e "$apt/updated" ] || [ -n "$(find "$apt/updated" -mmin +720)" ]; then
		apt-get -q update >"$cache/apt/log" 2>&1 || { tail -n 5 "$cache/apt/log" >&2; fail 'could not fetch the package lists'; }
		touch "$apt/updated"
	fi
}

# newer_packages: makes the next run look for newer packages.
newer_packages() {
	rm -f "$cache"/apt/*/updated
}

# unpack_what DIR FOLDER COMMAND...: unpacks the packages that the command leaves in FOLDER, and removes that.
unpack_what() {
	local dir=$1 folder=$2 deb

	shift 2
	(cd "$folder" && "$@" >"$cache/apt/log" 2>&1) ||
		{ tail -n 5 "$cache/apt/log" >&2; rm -rf "$folder"; fail "could not download: $*"; }
	for deb in "$folder"/*.deb; do
		dpkg-deb -x "$deb" "$dir"
	done
	rm -rf "$folder"
}

# unpack DIR PACKAGE...: these packages alone.
unpack() {
	unpack_what "$1" "$(mktemp -d "$cache/debs.XXXXXX")" apt-get -q download "${@:2}"
}

# unpack_all DIR PACKAGE...: these packages and all that they depend on, in apt's order.
unpack_all() {
	local folder

	folder=$(mktemp -d "$cache/debs.XXXXXX")
	mkdir "$folder/partial"
	unpack_what "$1" "$folder" apt-get -q -y --download-only -o "Dir::Cache::archives=$folder" install "${@:2}"
}

# locked [WHAT]: one download at a time, or one of WHAT; call it in a subshell.
locked() {
	local what=${1:-download}

	mkdir -p "$cache"
	exec 8>"$cache/$what.lock"
	flock -n 8 || { echo "${0##*/}: waiting for another process to finish its $what" >&2; flock 8; }
}
