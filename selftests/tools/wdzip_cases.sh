# SPDX-License-Identifier: Apache-2.0
# What wdzip must do, on every path; included by wdzip_*.sh, which set
#   RUN   words before wdzip (an emulator), an array
#   WANT  path that -v must name: soft or sim
#   MANY  at how many points a stream is cut or damaged

. "$(dirname "${BASH_SOURCE[0]}")/../include/tap.sh"
. "$(dirname "${BASH_SOURCE[0]}")/../include/tools_for_all.sh"
. "$(dirname "${BASH_SOURCE[0]}")/wdzip_streams.sh"

wz() {
	"${RUN[@]}" wdzip "$@"
}

# Text that compresses, but not to almost nothing.
text() {
	{ seq 1 $(($1 / 5 + 10)) || :; } | head -c "$1"
}

# roundtrip FILE: wdzip and gzip read each other's output, three combinations.
roundtrip() {
	wz -c "$1" >a.gz
	gzip -t a.gz
	gzip -dc a.gz | same - "$1"
	wz -dc a.gz | same - "$1"
	gzip -c "$1" >b.gz
	wz -dc b.gz | same - "$1"
}

test_names_the_path_taken() {
	text 100000 >f
	wz -v -c f >f.gz 2>err
	says "path $WANT (" err
	wz -tv f.gz 2>err
	says "path $WANT (" err
}

test_replaces_the_file_and_keeps_mode_and_time() {
	text 1000 >f
	cp f copy
	chmod 640 f
	touch -d 2001-02-03T04:05:06Z f
	wz f
	absent f
	[ "$(stat -c '%a %Y' f.gz)" = "640 $(date -d 2001-02-03T04:05:06Z +%s)" ]
	wz -d f.gz
	absent f.gz
	[ "$(stat -c '%a %Y' f)" = "640 $(date -d 2001-02-03T04:05:06Z +%s)" ]
	same f copy
}

# with_closed REDIRECTIONS ARGUMENT...: runs wdzip without some of its standard files.
with_closed() {
	local closed=$1

	shift
	"${RUN[@]}" bash -c "exec wdzip \"\$@\" $closed" - "$@"
}

test_a_file_is_a_file_when_standard_input_is_closed() {
	local closed

	for closed in '<&-' '<&- >&-' '<&- >&- 2>&-'; do
		text 1000 >f
		cp f copy
		chmod 600 f
		touch -d 2001-02-03T04:05:06Z f
		with_closed "$closed" f
		absent f
		[ "$(stat -c '%a %Y' f.gz)" = "600 $(date -d 2001-02-03T04:05:06Z +%s)" ]
		with_closed "$closed" -d f.gz
		absent f.gz
		[ "$(stat -c '%a %Y' f)" = "600 $(date -d 2001-02-03T04:05:06Z +%s)" ]
		same f copy
	done
}

test_warnings_go_to_no_file_when_standard_error_is_closed() {
	text 1000 >f
	{ gzip -c f; echo garbage; } >g.gz
	exits 2 with_closed '<&- 2>&-' -dk g.gz
	same g f
}

test_closed_standard_files_cannot_be_worked_on() {
	text 1000 >f
	exits 1 with_closed '<&-' -c >got 2>err
	says "stdin: " err
	exits 1 with_closed '>&-' -c f 2>err
	says "f: write: Bad file descriptor" err
}

test_keeps_the_input_with_k_and_with_o_and_with_c() {
	text 1000 >f
	wz -k f
	wz -o g.gz f
	wz -c f >h.gz
	same f.gz g.gz
	same f.gz h.gz
	wz -dk f.gz -c | same - f
	wz -d -o g f.gz
	same f g
	[ -e f.gz ]
}

test_never_overwrites_without_f() {
	text 1000 >f
	echo old >f.gz
	exits 1 wz f 2>err
	says "f.gz: already exists; use -f to overwrite it" err
	says old f.gz
	[ -s f ]
	exits 1 wz -o f.gz f 2>err
	says old f.gz
	wz -f f
	gzip -t f.gz
	absent f
}

test_keeps_the_old_file_when_overwriting_fails() {
	text 300000 >f
	gzip -k f
	truncate -s -100 f.gz
	echo old >f
	exits 1 wz -df f.gz
	says old f
	[ "$(ls)" = "$(printf 'f\nf.gz')" ]
}

test_leaves_alone_what_it_must_not_replace() {
	mkdir d
	exits 2 wz d 2>err
	says "d: warning: is a directory, ignored" err
	text 100 >f
	cp f g.gz
	exits 2 wz g.gz 2>err
	says "already has a suffix" err
	exits 2 wz -d f 2>err
	says "f: warning: unknown suffix" err
	ln f other
	exits 2 wz f 2>err
	says "has 1 other link" err
	ln -s f link
	exits 1 wz link 2>err
	says "symbolic link" err
	exits 1 wz missing 2>err
	says "missing: No such file or directory" err
	exits 2 wz -q d 2>err
	[ ! -s err ]
	[ -s f ]
	[ -s g.gz ]
}

test_leaves_set_id_and_sticky_files_alone() {
	local mode

	text 100 >f
	cp f copy
	for mode in 4755 2755 1755; do
		chmod $mode f
		exits 2 wz f 2>err
		says "f: warning: " err
		exits 2 wz -k f 2>err
		absent f.gz
		# An output elsewhere replaces nothing, and gets none of these rights.
		wz -c f | gzip -dc | same - copy
		wz -o g.gz f
		[ "$(stat -c %a f)" = $mode ]
		[ "$(stat -c %a g.gz)" = 755 ]
		chmod $mode g.gz
		exits 2 wz -d g.gz 2>err
		absent g
		rm -f g.gz
	done
	chmod 4755 f
	exits 2 wz -f f 2>err
	says "is set-user-ID on execution, ignored" err
	chmod 2755 f
	exits 2 wz -f f 2>err
	says "is set-group-ID on execution, ignored" err
	chmod 1755 f
	wz -f f
	[ "$(stat -c %a f.gz)" = 755 ]
}

test_works_on_non_blocking_pipes() {
	head -c 3000000 /dev/urandom >f
	cat >nonblocking.py <<'END'
import os, subprocess, sys, time
data = open("f", "rb").read()
stdin, feed = os.pipe()
drain, stdout = os.pipe()
os.set_blocking(stdin, False)
os.set_blocking(stdout, False)
run = subprocess.Popen(sys.argv[1:], stdin=stdin, stdout=stdout, close_fds=True)
os.close(stdin)
os.close(stdout)
if not os.fork():
    os.close(drain)
    # The reader must find no data at first.
    time.sleep(0.5)
    with os.fdopen(feed, "wb") as pipe:
        pipe.write(data)
    os._exit(0)
os.close(feed)
time.sleep(1)
open("got.gz", "wb").write(os.fdopen(drain, "rb").read())
sys.exit(run.wait())
END
	python3 nonblocking.py "${RUN[@]}" wdzip -c
	gzip -dc got.gz | same - f
}

test_a_temporary_left_by_another_is_no_hindrance() {
	text 1000 >f
	echo old >f.gz
	# exec, so that wdzip's process number is the one in the stale name.
	"${RUN[@]}" bash -c 'echo stale >".f.gz.$$"; exec wdzip -f f'
	gzip -t f.gz
	absent f
	[ "$(cat .f.gz.*)" = stale ]
}

test_works_on_the_other_inputs_when_one_fails() {
	text 100 >a
	text 100 >b
	exits 1 wz a missing b 2>err
	gzip -t a.gz b.gz
}

test_finds_the_compressed_file_for_a_plain_name() {
	text 1000 >f
	cp f copy
	wz f
	wz -d f
	same f copy
}

# time_of FILE: prints its time in seconds.
time_of() {
	stat -c %Y "$1"
}

test_stores_name_and_time_when_asked_to() {
	local when=1234567890

	text 100000 >f
	touch -d @$when f
	wz -N -c f >f.gz
	gzip -dc f.gz | same - f
	gzip -lN f.gz >list
	says ' f' list
	mv f.gz other.gz
	mkdir d
	mv other.gz d
	gzip -dN d/other.gz
	same d/f f
	[ "$(time_of d/f)" = $when ]
	wz -cn f >none.gz
	wz -c f | same - none.gz
	[ "$(od -An -tx1 -j3 -N5 none.gz)" = ' 00 00 00 00 00' ]
	wz -N <f >stdin.gz
	same stdin.gz none.gz
}

test_restores_name_and_time_when_asked_to() {
	local when=1234567890

	text 100000 >f
	touch -d @$when f
	gzip -cN f >other.gz
	cp other.gz again.gz
	mkdir d
	mv other.gz d
	wz -dN d/other.gz
	same d/f f
	absent d/other
	[ "$(time_of d/f)" = $when ]
	wz -d again.gz
	same again f
	rm f
	gzip -cn <d/f >none.gz
	wz -dN none.gz
	same none d/f
}

# named NAME: prints a member whose header has that name, after an extra field.
named() {
	printf '\x1f\x8b\x08\x0c\0\0\0\0\0\x03\x02\0xx%s\0' "$1"
	printf x | gzip -cn | tail -c +11
}

test_restores_no_name_that_leads_elsewhere() {
	local name

	mkdir d
	for name in . .. '' d/.. a/; do
		named "$name" >d/plain.gz
		wz -dfN d/plain.gz
		[ "$(cat d/plain)" = x ]
		rm d/plain
	done
	named /etc/../../outside >d/plain.gz
	wz -dN d/plain.gz
	[ "$(ls d)" = outside ]
	named itself.gz >d/itself.gz
	wz -dfN d/itself.gz
	[ "$(cat d/itself)" = x ]
	printf '\x1f\x8b\x08\x0c\0\0\0\0\0\x03\x02' >cut.gz
	exits 1 wz -dN cut.gz 2>err
	says 'unexpected end of file' err
	[ -s cut.gz ]
}

test_takes_all_files_of_folders() {
	mkdir -p d/e/f empty
	text 1000 >d/one
	text 2000 >d/e/two
	text 3000 >d/e/f/three
	cp -r d copy
	gzip -k d/one
	rm d/one
	ln -s one.gz d/e/link
	exits 1 wz -r d empty 2>err
	says 'd/e/link: is a symbolic link' err
	rm d/e/link
	wz -r d 2>err
	[ ! -s err ]
	[ "$(cd d && find . -type f | sort | xargs)" = './e/f/three.gz ./e/two.gz ./one.gz' ]
	exits 2 wz -rv d 2>err
	says 'd/one.gz: warning: already has a suffix' err
	wz -tr d
	wz -dr d
	diff -r d copy
	exits 1 wz -r -o x d 2>err
	says 'neither -c nor -r' err
	exits 1 wz -r d/one missing 2>err
	says 'missing: No such file' err
}

test_knows_the_suffixes_of_gzip() {
	text 1000 >f
	gzip -c f >a.tgz
	gzip -c f >b.z
	gzip -c f >c-gz
	wz -d a.tgz b.z c-gz
	same f a.tar
	same f b
	same f c
}

test_takes_a_suffix_of_its_own() {
	text 1000 >f
	cp f copy
	wz -S .packed f
	absent f
	gzip -t <f.packed
	exits 2 wz -d f.packed 2>err
	says "unknown suffix" err
	wz -d -S .packed f
	same f copy
	wz -S .x -k f
	exits 2 wz -S .x f.x 2>err
	says "already has a suffix" err
	gzip -kf f
	rm f
	wz -d -S .x f.gz
	same f copy
	exits 1 wz -S '' f 2>err
	exits 1 wz -S a/b f 2>err
	[ -s f ]
}

test_takes_options_of_gzip_that_change_nothing_here() {
	text 1000 >f
	wz -a -b 16 -nc f | gzip -dc | same - f
	exits 1 wz -b x f 2>err
	says "-b x: expected a number" err
	wz -L >got
	says "Apache License" got
	wz --synchronous f
	gzip -t f.gz
	absent f
	wz --synchronous -dc f.gz >f
	wz --synchronous -d -o g f.gz
	same f g
}

test_writes_to_a_pipe_or_device_as_it_is() {
	text 1000 >f
	wz -o /dev/null f
	[ -c /dev/null ]
	mkfifo p
	cat p >got &
	wz -o p f
	wait $!
	gzip -dc got | same - f
}

test_reads_the_variable_GZIP_as_gzip_does() {
	local option

	text 1000 >f
	GZIP=-N wz -c f >got 2>err
	wz -cN f | same - got
	says 'variable GZIP is obsolete' err
	GZIP='-q -9' wz -c f >got 2>err
	[ ! -s err ]
	wz -9 -c f | same - got
	for option in -c -d -k -S.x --stdout --path=soft -T2 -- f '-q f'; do
		exits 1 env GZIP="$option" "${RUN[@]}" wdzip -c f >got 2>err
		says 'GZIP' err
		[ ! -s got ]
	done
	GZIP='' wz -c f | gzip -dc | same - f
}

test_takes_the_names_of_options_of_gzip_and_pigz() {
	text 1000000 >f
	wz --to-stdout -p 2 f >f.gz
	wz --processes=3 -c f | same - f.gz
	wz --uncompress -c f.gz | same - f
	exits 1 wz -p x f 2>err
	says '-p x: expected a number of threads' err
}

test_rsyncable_keeps_the_result_of_unchanged_data() {
	local threads

	python3 -c '
import random
words = [b"%x " % random.Random(n).getrandbits(40) for n in range(5000)]
open("f", "wb").write(b"".join(random.Random(7).choices(words, k=300000)))'
	{ echo inserted; cat f; } >g
	for threads in 1 3; do
		wz --rsyncable -T $threads -c f >f.gz
		wz --rsyncable -T $threads -c g >g.gz
		gzip -dc f.gz | same - f
		wz -dc g.gz | same - g
		# All but the first parts and the trailer.
		same <(tail -c 1000010 f.gz | head -c 1000000) <(tail -c 1000010 g.gz | head -c 1000000)
	done
	head -c 100 f >h
	wz --rsyncable -c h | gzip -dc | same - h
	wz --rsyncable -c </dev/null | gzip -dc | same - /dev/null
	head -c 3000000 /dev/zero >h
	wz --rsyncable -c h | gzip -dc | same - h
}

test_says_when_the_disk_is_full() {
	text 10000000 >f
	exits 1 wz -c f 2>err >/dev/full
	says "write: No space left on device" err
	gzip -c f >f.gz
	exits 1 wz -dc f.gz 2>err >/dev/full
	says "write: No space left on device" err
}

test_ends_quietly_when_the_reader_goes_away() {
	text 30000000 >f
	# head ends after one byte; wdzip must die of SIGPIPE instead of going on.
	{ rc=0; wz -c f || rc=$?; echo $rc >rc; } 2>err | head -c 1 >/dev/null
	[ "$(cat rc)" = 141 ]
	[ ! -s err ]
}

is_written() {
	[ -s "$1" ]
}

interrupted_by() {
	local pid rc=0

	mkfifo "p$1"
	"${RUN[@]}" env --default-signal="$1" wdzip -o "out$1.gz" <"p$1" &
	pid=$!
	exec 7>"p$1"
	# More than wdzip buffers, so that some of the output is on the disk.
	head -c 3000000 /dev/urandom >&7
	until_true 30 is_written "out$1.gz"
	kill -"$1" $pid
	wait $pid || rc=$?
	exec 7>&-
	[ $rc = $((128 + $(kill -l "$1"))) ]
	absent "out$1.gz"
}

test_removes_partial_output_on_interrupt() {
	[ ${#RUN[@]} = 0 ] || skip "the signal would end the emulator's starter"
	interrupted_by INT
	interrupted_by TERM
	interrupted_by HUP
}

on_terminal() {
	script -qec "$1" /dev/null >tty.log
}

test_writes_no_compressed_data_to_a_terminal_without_f() {
	command -v script >/dev/null || skip "no script(1)"
	[ ${#RUN[@]} = 0 ] || skip "same as on the other paths"
	text 1000 >f
	exits 1 on_terminal "wdzip -c f"
	says "not written to a terminal" tty.log
	on_terminal "wdzip -cf f"
	exits 1 on_terminal "wdzip -d"
	says "not read from a terminal" tty.log
	# Nothing is typed, but wdzip reads, and copies that.
	on_terminal "wdzip -df"
	not grep wdzip tty.log
}

# So little work takes long only if the machine stalls for a second, which it doesn't do each time.
quiet_when_short() {
	local i begun

	for ((i = 0; i < 30; i++)); do
		begun=${EPOCHREALTIME/[.,]/}
		on_terminal "wdzip -c f >f.gz"
		[ -s tty.log ] || return 0
		[ $((${EPOCHREALTIME/[.,]/} - begun)) -ge 1000000 ] || return 1
	done
	return 1
}

test_shows_progress_on_a_terminal_for_long_work_only() {
	command -v script >/dev/null || skip "no script(1)"
	[ ${#RUN[@]} = 0 ] || skip "same as on the other paths"
	text 1000 >f
	quiet_when_short
	text 2000000 >f
	on_terminal "bash -c '{ cat f; sleep 1.1; cat f; } | wdzip -c >g.gz'"
	says "MiB" tty.log
	on_terminal "bash -c '{ cat f; sleep 1.1; cat f; } | wdzip -qc >g.gz'"
	[ ! -s tty.log ]
}

test_reports_missing_permissions_and_leaves_the_input() {
	[ "$(id -u)" = 0 ] || skip "needs root to become another user"
	[ ${#RUN[@]} = 0 ] || skip "same as on the other paths"
	chmod 755 "$WORK" .
	text 1000 >f
	chmod 600 f
	exits 1 as_nobody wdzip -c f >/dev/null 2>err
	says "f: Permission denied" err
	chmod 644 f
	exits 1 as_nobody wdzip f 2>err
	says "f.gz: Permission denied" err
	[ -s f ]
	absent f.gz
}

test_drops_set_user_id_when_the_owner_changes() {
	[ "$(id -u)" = 0 ] || skip "needs root to become another user"
	[ ${#RUN[@]} = 0 ] || skip "same as on the other paths"
	chmod 755 "$WORK"
	chmod 777 .
	text 1000 >f
	chmod 6755 f
	exits 2 as_nobody wdzip -k f
	absent f.gz
	as_nobody wdzip -o f.gz f
	[ "$(stat -c '%u %a' f.gz)" = "65534 705" ]
}

test_refuses_bad_options() {
	text 10 >f
	exits 1 wz --nonsense f 2>err
	says "run 'wdzip -h' for the options" err
	exits 1 wz --path fast f 2>err
	says "--path fast: expected auto, hw or soft" err
	for threads in x -1 65 '' 3x; do
		exits 1 wz -T "$threads" f 2>err
		says "-T $threads: expected a number of threads, 0 to 64" err
	done
	exits 1 wz --section 'S S L' f 2>err
	says "a section's name is" err
	exits 1 wz -o x f f 2>err
	says "exactly one input" err
	exits 1 wz -c -o x f 2>err
	[ -s f ]
	absent x
}

test_helps_and_tells_its_version() {
	wz -h >got
	says "usage: wdzip" got
	wz -V >got
	says "wdzip $(cat "$TOP/VERSION")" got
}
