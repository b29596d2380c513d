# Shell functions for tests that speak TAP; sourced, by a POSIX shell.
#
#   . "$SRCDIR/testsuite/lib/tap.sh"
#   is "$(echo x)" x 'echo prints its argument'
#   run 5 retro-or-any-command ARGS...      # sets $status, $T/out, $T/err
#   is "$status" 'exit 0' 'it works'
#   done_testing
#
# $T is a private directory, the working directory of the test, removed at its
# end unless KEEP is set; XDG_DATA_HOME lies in it.  The Makefile gives BUILD,
# SRCDIR and RETRO; by hand, the defaults below do.
#
# run is a program and not timeout(1), since $? of a shell cannot tell death
# by a signal from an exit status above 128, and the tests must.

: "${SRCDIR:=$(cd "$(dirname "$0")/../.." && pwd)}"
: "${BUILD:=$SRCDIR/build}"
: "${RETRO:=$SRCDIR/retro}"
export SRCDIR BUILD RETRO

T=$(mktemp -d "${TMPDIR:-/tmp}/retro-test.XXXXXX") || exit 1
export XDG_DATA_HOME="$T/data"
mkdir "$XDG_DATA_HOME"
cd "$T" || exit 1
# shellcheck disable=SC2154  # assigned in the trap itself
trap 'rc=$?; cd /; [ -n "${KEEP-}" ] || { chmod -R u+rwx "$T"; rm -rf "$T"; }; exit $rc' EXIT
trap 'exit 1' HUP INT TERM

tests=0
failed=0

# diag TEXT...: a remark, to stderr, each line marked.
diag ()
{
  printf '%s\n' "$*" | sed 's/^/# /' >&2
}

# ok STATUS NAME: a test that passes if STATUS is 0.
ok ()
{
  tests=$((tests + 1))
  if [ "$1" -eq 0 ]
  then
    echo "ok $tests - $2"
  else
    failed=$((failed + 1))
    echo "not ok $tests - $2"
  fi
}

# skip NAME REASON
skip ()
{
  tests=$((tests + 1))
  echo "ok $tests - $1 # SKIP $2"
}

# is GOT EXPECTED NAME
is ()
{
  if [ "$1" = "$2" ]
  then
    ok 0 "$3"
  else
    ok 1 "$3"
    diag "got: $1"
    diag "expected: $2"
  fi
}

# like FILE PATTERN NAME: FILE has a line that matches.
like ()
{
  if grep -q -e "$2" "$1"
  then
    ok 0 "$3"
  else
    ok 1 "$3"
    diag "no line of $1 matches $2:"
    diag "$(head -n 20 "$1")"
  fi
}

# run SECONDS COMMAND...: sets $status to "exit N", "signal N" or "timeout";
# outputs in $T/out and $T/err; stdin is the caller's.
run ()
{
  run_for=$1
  shift
  "$SRCDIR/testsuite/lib/run-for" "$run_for" "$T/status" "$@" >"$T/out" 2>"$T/err"
  # shellcheck disable=SC2034  # for the caller
  status=$(cat "$T/status")
}

# show_err: what the last command run said, for a failed test.
show_err ()
{
  diag "$(tail -n 15 "$T/err")"
}

done_testing ()
{
  echo "1..$tests"
  [ "$failed" -eq 0 ]
  exit
}
