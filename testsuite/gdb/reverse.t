#!/bin/bash
# GDB's own tests of reverse execution against `retro serve'; `make check-gdb'
# runs more of them (see doc/conformance.md).
# timeout: 1500
: "${SRCDIR:=$(cd "$(dirname "$0")/../.." && pwd)}"
# shellcheck source=testsuite/lib/tap.sh
. "$SRCDIR/testsuite/lib/tap.sh"

reason=$("$SRCDIR/testsuite/gdb/run-dejagnu" --missing)
if [ -n "$reason" ]
then
  echo "1..0 # SKIP $reason"
  exit 0
fi

"$SRCDIR/testsuite/gdb/run-dejagnu" --brief --out "$BUILD/gdb-tests-brief" >"$T/out" 2>"$T/err"
ok $? 'no failure that is not known'
sed 's/^/# /' "$T/out" "$T/err"
passes=$(sed -n 's/^# of expected passes[^0-9]*//p' "$T/out")
[ "${passes:-0}" -gt 1100 ]
ok $? 'they did run'
done_testing
