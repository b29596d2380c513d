#!/bin/bash
# Emacs: M-x gud-gdb and M-x gdb, with a stock GDB.
# timeout: 400
: "${SRCDIR:=$(cd "$(dirname "$0")/../.." && pwd)}"
# shellcheck source=testsuite/lib/tap.sh
. "$SRCDIR/testsuite/lib/tap.sh"

if ! command -v emacs >/dev/null
then
  echo '1..0 # SKIP there is no Emacs (package emacs-nox)'
  exit 0
fi

# The program finds its library from there.
cd "$SRCDIR" || exit 1
for mode in gud-gdb gdb
do
  export MODE=$mode PROGRAM=$BUILD/testsuite/serve/breaks
  run 180 emacs -nw -Q --batch -l "$SRCDIR/testsuite/frontends/drive.el" </dev/null
  is "$status" 'exit 0' "M-x $mode"
  [ "$status" = 'exit 0' ] || { diag "$(cat "$T/out")"; show_err; }
  is "$(ls "$XDG_DATA_HOME/retro" 2>/dev/null | grep -c '^session-')" 0 "M-x $mode: nothing is left"
done
done_testing
