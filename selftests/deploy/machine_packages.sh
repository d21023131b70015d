# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced: packages for a machine, which has no network.

# packages_fetched FOLDER PACKAGE...: with what they need that the image of $suite lacks.
packages_fetched() {
	local image to=$1

	shift
	image=$(scripts/machine-image "$suite") && mkdir -p "$to/partial" &&
		PATH=$PATH:/sbin debugfs -R 'cat /var/lib/dpkg/status' "$image" >"$to.status" 2>/dev/null || return
	(
		fail() { echo "$*"; exit 1; }
		cache=${WARPDRIVE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/warpdrive}
		. scripts/apt.sh
		locked
		apt_setup "$suite"
		apt-get -q -y --download-only --no-install-recommends -o "Dir::State::status=$to.status" \
			-o "Dir::Cache::archives=$to" install "$@"
	) && compgen -G "$to/*.deb"
}
