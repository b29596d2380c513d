#!/bin/sh
# `make bench' and its sections: what can be told without measuring.
: "${SRCDIR:=$(cd "$(dirname "$0")/../.." && pwd)}"
# shellcheck source=testsuite/lib/tap.sh
. "$SRCDIR/testsuite/lib/tap.sh"

bench=$SRCDIR/testsuite/bench

run 20 "$bench/run" --help
is "$status" 'exit 0' '--help'
sections=$(sed -n 's/^  \([a-z]*\)  *.*/\1/p' "$T/out")
for section in record debug search
do
  like "$T/out" "^  $section " "it lists $section"
done
run 20 "$bench/run" no-such-section
is "$status" 'exit 2' 'an unknown section'
like "$T/err" "no section 'no-such-section'" 'it is named'

for section in $sections
do
  case $(head -n 1 "$bench/$section") in
    *perl*)
      run 20 perl -c "$bench/$section"
      is "$status" 'exit 0' "$section compiles"
      ;;
  esac
done

done_testing
