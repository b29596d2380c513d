#!/bin/sh
# A program that spins until another process writes shared memory: what it
# waits for is at no event, and its replay would wait for ever.
# shellcheck source=testsuite/lib/tap.sh
. "${SRCDIR:=$(cd "$(dirname "$0")/../.." && pwd)}/testsuite/lib/tap.sh"

run 60 "$RETRO" record -o "$T/spin" -- "$BUILD/testsuite/cli/shared-spin" </dev/null
is "$status" 'exit 0' 'it is recorded'
is "$(cat "$T/out")" 7 'it is not disturbed'
run 120 "$RETRO" verify "$T/spin" </dev/null
is "$status" 'exit 1' 'its replay comes to an end'
like "$T/err" 'diverged at event .*computes on.*shared memory' 'which says why'
done_testing
