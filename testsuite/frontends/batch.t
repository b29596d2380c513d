#!/bin/bash
# GDB in scripts: -batch, -x, --args.
: "${SRCDIR:=$(cd "$(dirname "$0")/../.." && pwd)}"
# shellcheck source=testsuite/lib/tap.sh
. "$SRCDIR/testsuite/lib/tap.sh"

# batch ARGS...: the stock GDB, in batch mode.
batch ()
{
  run 120 "$RETRO" gdb --stock -nx -batch "$@" </dev/null
}

program=$BUILD/testsuite/serve/live

batch -ex 'break add if value == 3' -ex run -ex 'reverse-next' -ex 'info locals' -ex 'next' -ex bt --args "$program" 4
is "$status" 'exit 0' 'commands on the command line'
like "$T/out" 'Breakpoint 1, add (value=3)' 'they stop'
like "$T/out" '^main (argc=2' 'and go back'

cat >"$T/script" <<'END'
set pagination off
break add
commands
silent
printf "value %d total %d\n", value, total
if value < 5
continue
end
end
run
reverse-continue
reverse-continue
printf "back at %d\n", value
delete
continue
continue
printf "status %d\n", $_exitcode
END
batch -x "$T/script" --args "$program" 6
is "$status" 'exit 0' 'a script'
like "$T/out" '^value 5 total 10$' 'its breakpoint commands run'
like "$T/out" '^status 6$' 'to the end'

batch -ex 'start' -ex 'watch total' -ex 'continue' -ex 'continue' -ex 'reverse-continue' -ex 'print total' "$program"
is "$status" 'exit 0' 'start'
like "$T/out" '^\$1 = 1$' 'a watchpoint, there and back'

# An error in the middle ends a script, and nothing is left of it.
printf 'break main\nrun\nprint nosuch\nprint 42\n' >"$T/wrong"
batch -x "$T/wrong" "$program"
is "$status" 'exit 1' 'a wrong script'
like "$T/err" 'No symbol "nosuch"' 'says why'
is "$(ls "$XDG_DATA_HOME/retro" 2>/dev/null | grep -c '^session-')" 0 'no session is left'

batch -p 4194303 "$program"
like "$T/err" 'Attaching to process 4194303 failed' 'no process to attach to'

done_testing
