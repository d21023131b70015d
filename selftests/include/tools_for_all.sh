# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced after tap.sh by tests of ordinary users, to whom the checkout may be closed: below root's home, for example.

# Gives this test copies of our programs that every user can run; EXAMPLES: the folder of the samples, if they were
# built.
tools_for_all() {
	local tools=$WORK/tools

	EXAMPLES=$tools/examples
	[ -x "$OUT/bin/wdctl" ] || return 0
	if [ ! -d "$tools" ]; then
		chmod 755 "$WORK"
		mkdir -p "$tools/lib"
		cp -r "$OUT/bin" "$OUT/examples" "$tools/"
		cp "$OUT"/lib/*.so.? "$tools/lib/"
		chmod -R go+rX "$tools"
	fi
	[[ $PATH == "$tools/bin":* ]] || PATH=$tools/bin:$PATH
	export LD_LIBRARY_PATH=$tools/lib
}

as_nobody() {
	tools_for_all
	setpriv --reuid 65534 --regid 65534 --clear-groups "$@"
}
