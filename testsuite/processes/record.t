#!/bin/sh
# Record and verify the programs of this directory.
# timeout: 3000
: "${SRCDIR:=$(cd "$(dirname "$0")/../.." && pwd)}"
. "$SRCDIR/testsuite/lib/record-all.sh"
record_all processes
