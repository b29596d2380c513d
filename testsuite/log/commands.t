#!/bin/sh
# What dump, info and verify say of recordings: whole, cut off, damaged,
# foreign, not there.
# shellcheck source=testsuite/lib/tap.sh
. "${SRCDIR:=$(cd "$(dirname "$0")/../.." && pwd)}/testsuite/lib/tap.sh"

# field NAME: its value in the last output of info.
field ()
{
  sed -n "s/^$1 *//p" "$T/out"
}

refused ()
{
  is "$status" 'exit 1' "$1: exit status 1"
  is "$(wc -l <"$T/err")" 1 "$1: one line"
  like "$T/err" "$2" "$1: which says it"
}

size_of ()
{
  stat -c %s "$1"
}

# --- A whole one, found as the latest.

run 60 "$RETRO" record --seed 7 -- ls -l /usr/bin </dev/null
is "$status" 'exit 0' 'a program is recorded'
dir=$(readlink -f "$XDG_DATA_HOME/retro/latest")
is "$dir" "$XDG_DATA_HOME/retro/ls-0" 'the latest link points to the recording'
is "$(stat -c %a "$dir")" 700 'its directory is private'
is "$(stat -c %a "$dir/log")" 600 'so is the log'

run 60 "$RETRO" info
is "$status" 'exit 0' 'info of the latest'
is "$(field command)" 'ls -l /usr/bin' 'info: the command'
is "$(field seed)" 7 'info: the seed'
is "$(field threads)" 1 'info: the threads'
is "$(field end)" 'exit status 0' 'info: the end'
is "$(field 'log is')" complete 'info: complete'
events=$(field events)
kinds=$(awk '/^  / { n += $2 } END { print n }' "$T/out")
is "$kinds" "$events" 'info: the kinds make up all events'

run 60 "$RETRO" dump
is "$status" 'exit 0' 'dump of the latest'
is "$(wc -l <"$T/out")" "$events" 'dump: one line for each event'
is "$(awk '$1 != NR - 1' "$T/out")" '' 'dump: numbered'
like "$T/out" 't0   *syscall  *openat (.*) = 3' 'dump: calls and results'
like "$T/out" 'openat (.*) = -ENOENT' 'dump: names of errors'
like "$T/out" 'map 0x.* r-x file .*libc' 'dump: mappings'
cp "$T/out" "$T/all"
run 60 "$RETRO" dump "$dir" 10-12
sed -n 11,13p "$T/all" >"$T/expected"
cmp -s "$T/out" "$T/expected"
ok $? 'dump: a range'
run 60 "$RETRO" dump 10
sed -n 11p "$T/all" >"$T/expected"
cmp -s "$T/out" "$T/expected"
ok $? 'dump: one event of the latest'
run 60 "$RETRO" dump "$dir" $((events - 2))-
is "$(wc -l <"$T/out")" 2 'dump: to the end'
run 60 "$RETRO" dump --writes --regs --maps "$dir" 0-20
like "$T/out" '^ *rax  *[0-9a-f]* ' 'dump: registers'
like "$T/out" '^ *[0-9a-f]*  7f 45 4c 46 .*\.ELF' 'dump: bytes'
like "$T/out" '^        map 0x' 'dump: each mapping'

# --- Mistakes.

for range in x 3x 5-3 1-2-3 -; do
  run 60 "$RETRO" dump "$dir" -- "$range"
  refused "dump, range '$range'" "$range' is not an event number or a range"
done
run 60 "$RETRO" dump "$dir" "$events"
refused 'dump, too high a number' "there is no event $events"
run 60 "$RETRO" dump "$dir" 1 2
refused 'dump, too many arguments' 'one recording'
run 60 "$RETRO" info "$T/nowhere"
refused 'info of nothing' "$T/nowhere/log: .*No such file"
run 60 "$RETRO" info --no-such-option
refused 'info, unknown option' 'no-such-option'

# --- Cut off anywhere: what is whole is read.

cut_dir=$T/cut
mkdir "$cut_dir"
cp -r "$dir/files" "$cut_dir"
size=$(size_of "$dir/log")
for part in 30 60 95; do
  head -c $((size * part / 100)) "$dir/log" >"$cut_dir/log"
  run 60 "$RETRO" info "$cut_dir"
  is "$status" 'exit 0' "info of $part %"
  like "$T/out" '^log is .*truncated' "$part %: truncated"
  count=$(field events)
  run 60 "$RETRO" dump "$cut_dir"
  head -n "$count" "$T/all" | cmp -s - "$T/out"
  ok $? "$part %: the first $count events"
  if [ $part -gt 90 ] || [ "$count" -gt 0 ]; then
    run 60 "$RETRO" verify "$cut_dir"
    is "$status" 'exit 0' "$part %: they replay"
  fi
done

# --- Damaged: said, not shown.

cp "$dir/log" "$cut_dir/log"
printf '\125\252\125\252' | dd of="$cut_dir/log" bs=1 seek=$((size / 3)) conv=notrunc 2>"$T/dd"
for command in dump info verify; do
  run 60 "$RETRO" "$command" "$cut_dir"
  refused "$command, damaged" 'chunk at byte [0-9]* .*damaged'
done
head -c 3000 "$T/all" >"$cut_dir/log"
for command in dump info verify; do
  run 60 "$RETRO" "$command" "$cut_dir"
  refused "$command, foreign file" "$cut_dir/log: not a log of Retro"
done
printf 'RETROLOG\377\0\0\0\0\0\0\0' >"$cut_dir/log"
run 60 "$RETRO" info "$cut_dir"
refused 'info, another version' 'version 255'
rm "$cut_dir/log"
mkfifo "$cut_dir/log"
run 60 "$RETRO" info "$cut_dir"
refused 'info, a pipe' 'not a regular file'

# --- The disk is full while recording: a limit on file sizes stands in.

rm -rf "$T/full"
(
  trap '' XFSZ
  ulimit -f 200 # KB, in a shell that counts so, or half of it
  run 60 "$RETRO" record -o "$T/full" -- ls -lR /usr/include </dev/null
)
is "$(cat "$T/status")" 'exit 125' 'disk full: the recording ends'
is "$(wc -l <"$T/err")" 1 'disk full: one line'
like "$T/err" 'disk full while writing' 'disk full: which says it'
run 60 "$RETRO" info "$T/full"
[ "$(field events)" -gt 100 ]
ok $? 'disk full: events were kept'
run 60 "$RETRO" verify "$T/full"
is "$status" 'exit 0' 'disk full: they replay'

# --- The recorder is killed.

"$RETRO" record -o "$T/killed" -- perl -e '$| = 1; while (1) { getppid for 1 .. 1000; print "x" x 100 }' \
  >"$T/output" 2>"$T/err" </dev/null &
recorder=$!
tries=0
until [ "$(size_of "$T/killed/log" 2>/dev/null || echo 0)" -gt 100000 ] || [ $tries -gt 1200 ]; do
  sleep 0.05
  tries=$((tries + 1))
done
kill -KILL $recorder
wait $recorder 2>"$T/err"
run 60 "$RETRO" info "$T/killed"
[ "$(field events)" -gt 4000 ]
ok $? 'killed: events were kept'
is "$(field end)" 'not recorded' 'killed: without an end'
run 60 "$RETRO" verify "$T/killed"
is "$status" 'exit 0' 'killed: they replay'

done_testing
