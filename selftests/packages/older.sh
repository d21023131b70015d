# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by the tests that upgrade packages: makes packages of an older version from built ones. Reads their variables
# version and scratch.

older=0.1.0

# make_older DEB FOLDER: the same package as of the older version, whose modules say so.
make_older() {
	local new=$scratch/unpacked source

	rm -rf "$new"
	dpkg-deb -R "$1" "$new" || return
	sed -i "s/\\b${version//./\\.}\\b/$older/g" "$new/DEBIAN/control"
	for source in usr/src/warpdrive usr/src/warpdrive-sim; do
		[ -d "$new/$source-$version" ] || continue
		sed -i "s/\\b${version//./\\.}\\b/$older/g" "$new"/DEBIAN/{postinst,prerm,md5sums} \
			"$new/$source-$version/dkms.conf"
		echo "$older" >"$new/$source-$version/VERSION"
		mv "$new/$source-$version" "$new/$source-$older"
	done
	dpkg-deb --root-owner-group -Zgzip -b "$new" "$2" >/dev/null
}
