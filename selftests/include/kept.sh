# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What scripts/programs has in its cache. Tests with sets or sources that few of them need fetch them with
# WD_TEST_LONG=1 only, and those in a VM, which has no network, never.

# kept FOLDER NAME: the cache has the set (programs) or the source package (sources).
kept() {
	compgen -G "${WARPDRIVE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/warpdrive}/$1/*/$2/.warpdrive" >/dev/null
}
