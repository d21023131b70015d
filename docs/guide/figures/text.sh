#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes a picture of a terminal's text.
#   wdctl top --once | text.sh >picture.svg
awk '
	{ gsub(/&/, "\\&amp;"); gsub(/</, "\\&lt;"); line[NR] = $0; if (length($0) > columns) columns = length($0) }
	END {
		printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\">\n",
			columns * 7.25 + 20, NR * 16 + 20
		print "<rect width=\"100%\" height=\"100%\" fill=\"#1d1f21\"/>"
		print "<g font-family=\"monospace\" font-size=\"12\" fill=\"#e0e0e0\" xml:space=\"preserve\">"
		for (i = 1; i <= NR; i++)
			printf "<text x=\"10\" y=\"%d\">%s</text>\n", i * 16 + 8, line[i]
		print "</g>\n</svg>"
	}'
