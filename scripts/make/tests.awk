# SPDX-License-Identifier: Apache-2.0
# Reads an area's table of tests, whose format docs/testing.md describes. Prints for test.mk:
#   what=programs   the C programs that this build has
#   what=list       the runner's lines: kind area limit flags program
#   what=binaries   the C programs of the area's kselftest
#   what=scripts    its scripts
#   what=kselftest  all that it starts
# san is the sanitizer (address, thread) or empty, limit the area's limit, bin and src the folders of programs and
# scripts.

function fail(text) {
	printf "%s:%d: %s\n", FILENAME, FNR, text >"/dev/stderr"
	failed = 1
	exit 1
}

# Puts a list's words into the set of[name, word], without a mark, and the marked ones into later[name, word] as well.
function read_words(name, list, known, of,	words, count, i, word) {
	count = split(list, words, ",")
	for (i = 1; i <= count; i++) {
		word = words[i]
		if (sub(/\*$/, "", word))
			later[name, word] = 1
		else if (word == "asan")
			fail("every C program runs with ASan; asan* leaves that to make check-all")
		if (word ~ /^limit=[1-9][0-9]*$/ && known == FLAGS)
			limits[name] = substr(word, 7)
		else if (index(" " known " ", " " word " ") == 0 || word == "")
			fail("\"" words[i] "\": expected some of: " known (known == FLAGS ? " limit=SECONDS" : ""))
		of[name, word] = 1
	}
}

BEGIN {
	PLACES = "native emulated v2 mixed nosva vm build boot helper child"
	FLAGS = "asan tsan plain user once strict installed not-installed"
}

/^#/ || !NF { next }

NF > 3 { fail("expected a name, places and flags, separated by blanks") }

NF == 1 || ($1 in scripts) { fail(NF == 1 ? "\"" $1 "\" has no place" : "\"" $1 "\" is there twice") }

{
	names[++count] = $1
	scripts[$1] = $1 ~ /\./
	read_words($1, $2, PLACES, place)
	read_words($1, $3, FLAGS, flag)
	if (scripts[$1] && $2 ~ /emulated|v2|mixed|nosva|helper|child/)
		fail("a script runs in the places native, vm, build and boot only")
	if ($2 ~ /v2|mixed/ && $2 !~ /emulated/)
		fail("v2 and mixed are other devices for a program of the place emulated")
}

# Whether the build with this sanitizer has the program in the place. Sanitizers are for C programs on the host.
function here(name, where) {
	if (!((name, where) in place))
		return 0
	if (san == "")
		return 1
	if (scripts[name] || (name, "plain") in flag || where !~ /^(native|emulated|v2|mixed|nosva|child)$/)
		return 0
	return san != "thread" || where == "child" || (name, "tsan") in flag
}

# The runner's flags: later is for make check-all only, long for WD_TEST_LONG=1 only.
function runner_flags(name, where,	text, tool) {
	tool = san == "thread" ? "tsan" : san == "address" ? "asan" : ""
	if ((name, where) in later || (name, tool) in later)
		text = ",later"
	# What such devices do differently is on the kernel's side of a call.
	else if (san != "" && where == "nosva")
		text = ",later"
	# The generation changes descriptors, not what threads share.
	if (san == "thread" && where ~ /^(v2|mixed)$/)
		text = text ",long"
	if ((name, "strict") in flag)
		text = text ",strict"
	if (where == "vm" && (name, "once") in flag)
		text = text ",once"
	if (where == "vm" && (name, "user") in flag)
		text = text ",user"
	return text ? substr(text, 2) : "-"
}

function print_list(	places, p, i, name) {
	split(PLACES, places, " ")
	for (p = 1; p <= 8; p++) {
		for (i = 1; i <= count; i++) {
			name = names[i]
			if (here(name, places[p]))
				print places[p], area, name in limits ? limits[name] : limit, \
					runner_flags(name, places[p]), (scripts[name] ? src : bin) "/" name
		}
	}
}

function built(name,	places, p) {
	split(PLACES, places, " ")
	for (p in places)
		if (!scripts[name] && here(name, places[p]))
			return 1
	return 0
}

# An installed kselftest has the tests for the VM, and the programs that they start.
function in_kselftest(name) {
	return ((name, "vm") in place || (name, "helper") in place) && !((name, "not-installed") in flag)
}

END {
	if (failed)
		exit 1
	if (what == "list")
		print_list()
	for (i = 1; i <= count; i++) {
		name = names[i]
		if (what == "programs" && built(name) ||
		    what == "binaries" && in_kselftest(name) && !scripts[name] ||
		    what == "scripts" && in_kselftest(name) && scripts[name] ||
		    what == "kselftest" && in_kselftest(name) && ((name, "vm") in place || (name, "installed") in flag))
			print name
	}
}
