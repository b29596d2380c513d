#!/bin/sh
# retro record: options, mistakes, and what it returns for what it ran.
: "${SRCDIR:=$(cd "$(dirname "$0")/../.." && pwd)}"
# shellcheck source=testsuite/lib/tap.sh
. "$SRCDIR/testsuite/lib/tap.sh"

# refuses STATUS PATTERN NAME COMMAND...: one line on stderr, no recording.
refuses ()
{
  expected="exit $1"
  pattern=$2
  name=$3
  shift 3
  run 20 "$@" </dev/null
  is "$status" "$expected" "$name: status"
  like "$T/err" "$pattern" "$name: message"
  [ ! -s "$T/out" ]
  ok $? "$name: nothing on stdout"
}

refuses 125 'no program' 'no program' "$RETRO" record
refuses 125 'no program' 'no program after --' "$RETRO" record --
refuses 125 'no-such-option' 'unknown option' "$RETRO" record --no-such-option -- true
refuses 125 'slice' 'bad slice' "$RETRO" record --slice 0 -- true
refuses 125 'seed' 'bad seed' "$RETRO" record --seed many -- true
refuses 1 'no command' 'unknown command' "$RETRO" recrod true
refuses 127 'no/such/program' 'missing program' "$RETRO" record -o missing -- /no/such/program
refuses 127 'no-such-program' 'missing in PATH' "$RETRO" record -o missing -- no-such-program
refuses 126 'etc/passwd' 'not executable' "$RETRO" record -o missing -- /etc/passwd
refuses 126 '/etc' 'a directory' "$RETRO" record -o missing -- /etc
[ ! -e missing ]
ok $? 'no recording of what did not start'

mkdir full && touch full/file
refuses 125 'full' 'directory not empty' "$RETRO" record -o full -- true
is "$(ls full)" file 'it was left alone'
refuses 125 'nowhere' 'no such place' "$RETRO" record -o nowhere/deep/down -- true

run 20 "$RETRO" record --help
is "$status" 'exit 0' '--help'
like "$T/out" '--check' 'it tells of --check'
run 20 "$RETRO" --version
is "$status" 'exit 0' '--version'

# --- Ends.  Without --, and with options that belong to the program.

for n in 0 1 77 125 126 127 128 255
do
  run 20 "$RETRO" record sh -c "exit $n"
  is "$status" "exit $n" "exit status $n"
  is "$(cat "$T/err")" '' "nothing to say"
done
for n in 1 2 3 6 9 11 13 14 15 24
do
  run 20 "$RETRO" record -- sh -c "kill -$n \$\$"
  is "$status" "signal $n" "death by signal $n"
done
run 20 "$RETRO" record -o core -- sh -c 'ulimit -c unlimited; kill -SEGV $$'
is "$status" 'signal 11' 'death by a signal that dumps core'
run 20 "$RETRO" verify core
is "$status" 'exit 0' 'it verifies'
run 20 "$RETRO" record -- echo -o x --check
is "$(cat "$T/out")" '-o x --check' "the program's options are its own"
run 20 "$RETRO" record echo -n --check
is "$(cat "$T/out")" '--check' 'without --, too'

# --- Places.

run 20 "$RETRO" record -o made -- true
is "$(stat -c %a made)" 700 'DIR is made, and private'
mkdir -m 755 empty
run 20 "$RETRO" record -o empty -- true
is "$status" 'exit 0' 'an empty DIR is used'
run 20 "$RETRO" record -- true
run 20 "$RETRO" record -- false
is "$(readlink -f "$XDG_DATA_HOME/retro/latest")" "$(readlink -f "$XDG_DATA_HOME/retro/false-0")" \
  'without -o: below XDG_DATA_HOME, and "latest" leads there'
run 20 env -u XDG_DATA_HOME HOME="$T" "$RETRO" record -- true
[ -d "$T/.local/share/retro/latest/" ]
ok $? 'without XDG_DATA_HOME: below ~/.local/share'

# --- A set-uid program would run without its privileges: it is said.

as_nobody='setpriv --reuid 65534 --regid 65534 --clear-groups'
if [ "$(id -u)" -ne 0 ]
then
  skip 'set-uid' 'needs root to make one'
else
  chmod 755 "$T"
  mkdir -m 777 shared
  cp "$(command -v id)" set-uid
  chmod 4755 set-uid
  if [ "$($as_nobody ./set-uid -u)" != 0 ] || ! $as_nobody test -x "$RETRO"
  then
    skip 'set-uid' 'set-uid bits do not work here'
  else
    # shellcheck disable=SC2086
    run 20 $as_nobody "$RETRO" record -o shared/recording -- ./set-uid -u
    like "$T/err" 'set-uid' 'a set-uid program: it is said'
  fi
fi

done_testing
