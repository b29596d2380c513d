#!/bin/sh
# A race that crashes natively crashes when it is recorded, too: with the
# default slice, under at least nine of ten seeds, and each recording verifies.
# timeout: 300
: "${SRCDIR:=$(cd "$(dirname "$0")/../.." && pwd)}"
# shellcheck source=testsuite/lib/tap.sh
. "$SRCDIR/testsuite/lib/tap.sh"

program=$BUILD/testsuite/races/outlive

# record LABEL OPTION...: adds to $crashed.
record ()
{
  label=$1
  shift
  run 60 "$RETRO" record -o "$T/recording" "$@" -- "$program" </dev/null
  case $status in
    'signal 11') crashed=$((crashed + 1)) ;;
    'exit 0') diag "$label: nobody noticed" ;;
    *) diag "$label: $status"; show_err ;;
  esac
  recorded=$status
  run 120 "$RETRO" verify "$T/recording" </dev/null
  [ "$status" = 'exit 0' ]
  ok $? "$label: $recorded, verifies"
  [ "$status" = 'exit 0' ] || show_err
}

# The program is what it claims to be.  (On a busy machine the producer may be
# late now and then.)
crashed=0
for _try in 1 2 3 4 5
do
  run 20 "$program" </dev/null
  [ "$status" != 'signal 11' ] || crashed=$((crashed + 1))
done
[ "$crashed" -ge 1 ]
ok $? "it crashes natively ($crashed of 5)"

crashed=0
record 'default'
is "$crashed" 1 'it crashes with the default schedule'

# The work takes 120 ms of CPU time; slices of 2 ms cut it in 60 pieces or, if
# others take some of that time, in more.  A quarter of that is asked for.
run 20 "$RETRO" dump "$T/recording"
points=$(grep -c 'point  *preempted' "$T/out")
[ "$points" -ge 15 ]
ok $? "slices are short: $points preemptions"
rm -rf "$T/recording"

crashed=0
for seed in 1 2 3 4 5 6 7 8 9 10
do
  record "seed $seed" --seed $seed
  rm -rf "$T/recording"
done
[ "$crashed" -ge 9 ]
ok $? "it crashes under $crashed of ten seeds"

done_testing
