#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Plots what 'wdctl metrics --output FOLDER/SECONDS.prom' has collected, SECONDS being the time of the epoch.
#   plot.sh FOLDER >picture.svg
set -eu

[ $# = 1 ] && [ -d "$1" ] || { echo 'usage: plot.sh FOLDER >picture.svg' >&2; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# series FOLDER FAMILY LABEL [OTHER]: time, the label's value and the number of each sample that has the other label.
series() {
	for file in $(ls "$1" | sort -n); do
		awk -v t="${file%.prom}" -v family="$2" -v label="$3" -v want="${4:-}" '
			index($1, "warpdrive_" family "{") == 1 && index($1, want) {
				split($1, part, label "=\""); name = part[2]; sub(/".*/, "", name); print t, name, $2
			}' "$1/$file"
	done
}

# minutes RATE NAME: makes a file NAME.VALUE for each value of the label, with minutes and numbers, or numbers a second.
minutes() {
	awk -v rate="$1" -v to="$work/$2" 'NR == 1 { first = $1 }
		!rate { print ($1 - first) / 60, $3 >(to "." $2) }
		rate && ($2 in at) && $1 > at[$2] {
			print ($1 - first) / 60, ($3 >= last[$2] ? $3 - last[$2] : $3) / ($1 - at[$2]) >(to "." $2)
		}
		{ at[$2] = $1; last[$2] = $3 }'
}

series "$1" section_requests_total section | minutes 1 requests
series "$1" section_slots section 'state="attached"' | minutes 0 slots
series "$1" section_waiters section | minutes 0 waiters
series "$1" engine_read_bytes_total device | minutes 1 bytes

# span FOLDER: minutes from the first file to the last.
span() {
	ls "$1" | sort -n | awk '{ t = $1 + 0 } NR == 1 { first = t } END { print int((t - first) / 60 + 0.5) }'
}

# lines KIND UNIT: the plot's command.
lines() {
	printf 'set ylabel "%s"\nplot ' "$2"
	for file in "$work/$1".*; do
		[ -e "$file" ] || { echo "plot.sh: no samples for $1" >&2; exit 1; }
		printf '%s"%s" with lines lw 2 title "%s"' "$comma" "$file" "${file##*/"$1".}"
		comma=', '
	done
	echo
}

{
	cat <<-'END'
		set terminal svg size 900,800 font "sans,12" noenhanced
		set multiplot layout 4,1
		set key outside right top
		set grid
		set lmargin 12
		set rmargin 16
		set yrange [0:*]
	END
	comma='' && lines requests 'requests/s'
	comma='' && lines bytes 'bytes read/s'
	comma='' && lines slots 'slots taken'
	echo "set xlabel 'minutes ($(span "$1") in all)'"
	comma='' && lines waiters 'processes waiting'
} >"$work/commands"
gnuplot "$work/commands"
