#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A user who follows the guides and the README on a machine without accelerators succeeds.

. "$(dirname "$0")/guides.inc.sh"

test_every_block_says_where_it_runs() {
	local file wrong=0

	for file in "$TOP"/README.md "$TOP"/docs/guide/*.md; do
		python3 "$BLOCKS" check "$file" || wrong=1
	done
	[ $wrong = 0 ]
}

test_a_block_without_a_mark_is_found() {
	printf '```sh\ntrue\n```\n' >a.md
	exits 1 python3 "$BLOCKS" check a.md
	printf '```sh host\nif true\n```\n' >a.md
	exits 1 python3 "$BLOCKS" check a.md
	printf '```sh syntax:\ntrue\n```\n' >a.md
	exits 1 python3 "$BLOCKS" check a.md
	printf '```c\nint a;\n```\n' >a.md
	exits 1 python3 "$BLOCKS" check a.md
	printf '```sh host\ntrue\n```\n' >a.md
	python3 "$BLOCKS" check a.md
}

# Each link leads to an existing file.
test_links_of_the_documents_lead_somewhere() {
	local file link wrong=0

	for file in "$TOP"/README.md "$TOP"/docs/*.md "$TOP"/docs/guide/*.md "$TOP"/docs/examples/README.md; do
		while read -r link; do
			[ -e "${file%/*}/$link" ] || { echo "$file: $link"; wrong=1; }
		done < <(grep -oE '\]\([^)#:]+(#[^)]*)?\)' "$file" | sed 's/^](//; s/[#)].*//')
	done
	[ $wrong = 0 ]
}

# in_index README: the README has a line for every file beside it.
in_index() {
	local file

	for file in "${1%/*}"/*; do
		file=${file##*/}
		[ "$file" = README.md ] || [ "$file" = Makefile ] || says "($file" "$1"
	done
}

test_the_indexes_name_every_file() {
	in_index "$TOP/docs/README.md"
	in_index "$TOP/docs/examples/README.md"
}

test_readme() { follow host README.md; }
test_first_steps() { follow host docs/guide/first-steps.md; }
test_program() { follow host docs/guide/program.md; }
test_hardware() { follow host docs/guide/hardware.md; }
test_environment() { follow host docs/guide/environment.md; }

run_tests "$@"
