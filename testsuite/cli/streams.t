#!/bin/sh
# retro record is transparent: what the program inherits and what it writes
# are as without it.
: "${SRCDIR:=$(cd "$(dirname "$0")/../.." && pwd)}"
# shellcheck source=testsuite/lib/tap.sh
. "$SRCDIR/testsuite/lib/tap.sh"

# same NAME SCRIPT: a shell script does the same with and without a recorder.
same ()
{
  sh -c "$2" <"$T/input" >"$T/expected" 2>"$T/expected-err"
  rm -rf recording
  run 60 "$RETRO" record -o recording -- sh -c "$2" <"$T/input"
  cmp "$T/expected" "$T/out" >"$T/differ" && cmp "$T/expected-err" "$T/err" >"$T/differ"
  ok $? "$1"
  if [ -s "$T/differ" ]
  then
    diag "$(diff "$T/expected" "$T/out" | head -n 5)"
    show_err
  fi
  run 60 "$RETRO" verify recording </dev/null
  is "$status" 'exit 0' "$1: verifies"
  [ "$status" = 'exit 0' ] || show_err
}

head -c 300000 /dev/urandom >input
same 'stdin to stdout, binary' 'exec cat'
same 'input that is not read' 'exec echo unread'
same 'part of the input' 'head -c 1000 | exec cksum'
same 'stderr' 'echo out; echo err >&2; echo out again'
same 'descriptors inherited' 'cd /proc/self/fd; echo *'
same 'working directory' 'pwd; exec pwd -P'
same 'umask' 'umask'
same 'limits' 'ulimit -a'
same 'signals ignored and blocked' 'grep -E "^Sig(Ign|Blk|Cgt)" /proc/self/status'
same 'priority' 'exec cut -d" " -f18,19 /proc/self/stat'
same 'allowed CPUs' 'exec nproc'
same 'closed stdin' 'exec cat <&-'
same 'closed stdout' 'exec echo lost >&-'

export SOME_VARIABLE='with spaces  and
a new line'
same 'environment' 'exec env | grep -v -e ^_= -e ^PWD= | sort'
run 60 sh -c 'trap "" HUP USR1; exec "$RETRO" record -- grep SigIgn /proc/self/status'
sh -c 'trap "" HUP USR1; exec grep SigIgn /proc/self/status' >"$T/expected"
cmp -s "$T/out" "$T/expected"
ok $? 'signals that were ignored are'

# A reader that goes away: death by SIGPIPE, as without.
"$SRCDIR/testsuite/lib/run-for" 20 "$T/status" "$RETRO" record -o pipe -- yes 2>"$T/err" | head -n 1 >/dev/null
is "$(cat "$T/status")" 'signal 13' 'SIGPIPE'
run 60 "$RETRO" verify pipe
is "$status" 'exit 0' 'SIGPIPE: verifies'

# A further descriptor, used by the program.
echo from three >three
run 20 "$RETRO" record -- sh -c 'cat <&3' 3<three
is "$(cat "$T/out")" 'from three' 'descriptor 3'

# Without the standard files.
run 20 sh -c 'exec "$RETRO" record -o none -- true <&- >&- 2>&-'
is "$status" 'exit 0' 'all three closed'
run 20 "$RETRO" verify none
is "$status" 'exit 0' 'all three closed: verifies'

done_testing
