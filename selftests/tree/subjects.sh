#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Subjects of commits are "area: verb object", in the imperative.
set -u
cd "${TOP:-$(dirname "$0")/../..}" || exit 1
. selftests/include/tap.sh

# The rule holds for commits after this one.
since=45c2a748
# A file, a folder, a library or a facility; then a verb.
shape='^[a-z0-9][a-zA-Z0-9_./,+-]*( [a-z0-9][a-zA-Z0-9_./,+-]*)?: [a-z]'
# Verbs that leave open what the commit does.
vague='let|say|give'
# Imperatives that end like a past tense or a gerund.
imperative='bleed|breed|bring|cling|embed|exceed|feed|heed|need|ping|proceed|ring|seed|shed|shred|sing|speed|spring'
imperative+='|sting|string|succeed|swing|weed|wring'

# mistakes: reads "COMMIT SUBJECT" lines, and prints those with what is wrong.
mistakes() {
	local commit subject verb

	while read -r commit subject; do
		verb=${subject#*: }
		verb=${verb%%[ ,:]*}
		verb=${verb,,}
		[[ $subject =~ $shape ]] || echo "$commit is not 'area: verb object': $subject"
		[ ${#subject} -le 72 ] || echo "$commit has ${#subject} characters, 72 are expected at most: $subject"
		[[ $subject != *. ]] || echo "$commit ends with a full stop: $subject"
		[[ ! $verb =~ ^($vague)$ ]] || echo "$commit says '$verb', another verb is expected: $subject"
		[[ ! $verb =~ (ed|ing)$ || $verb =~ ^($imperative)$ ]] ||
			echo "$commit says '$verb', an imperative is expected: $subject"
	done
}

subjects() {
	local found

	found=$(git log --no-merges --format='%h %s' "$since..HEAD" | mistakes)
	[ -z "$found" ] || { echo "$found"; return 1; }
}

# passes SUBJECT, refused SUBJECT: for the test itself.
passes() { [ -z "$(mistakes <<<"0 $1")" ]; }
refused() { [ -n "$(mistakes <<<"0 $1")" ]; }

for subject in 'tree: fail for an artefact without an order' 'user/zlib: cut a circle' 'libwd, comp: free a slot' \
	'tree: embed the list' 'hisi_qm: speed up the reset' 'docs openssl: name the option'; do
	test_that "'$subject' passes" passes "$subject"
done
for subject in 'Let one function decide' 'tree: Fail for an artefact' 'tree: let make decide' 'tree: give a reason' \
	'docs: say what happens' 'tree: added a test' 'tree: adding a test' 'tree: fail without an order.' \
	'fail without an order' 'tree:fail without an order' 'Tree: fail without an order' 'tree: Say it' \
	'tree: fail for an artefact without an order, and for each file that is in none of its layers'; do
	test_that "'$subject' is refused" refused "$subject"
done
if git merge-base --is-ancestor "$since" HEAD 2>/dev/null; then
	test_that "each subject since $since is 'area: verb object'" subjects
else
	skip_that "each subject since $since is 'area: verb object'" 'that commit is not in this history'
fi
tap_done
