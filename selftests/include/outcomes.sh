# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash

# outcomes FILE: of each test in that file of JUnit, a line.
outcomes() {
	python3 -c '
import sys, xml.etree.ElementTree as tree
for case in tree.parse(sys.argv[1]).iter("testcase"):
    bad = [part.tag for part in case if part.tag in ("failure", "error", "skipped")]
    print(case.get("classname", ""), case.get("name"), case.get("result", "completed"), *bad)' "$1" | sort
}
