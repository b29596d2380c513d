#!/bin/bash
# The disk is full in the middle: what was written replays.
: "${SRCDIR:=$(cd "$(dirname "$0")/../.." && pwd)}"
# shellcheck source=testsuite/lib/tap.sh
. "$SRCDIR/testsuite/lib/tap.sh"

if ! unshare -m true 2>/dev/null
then
  echo '1..0 # SKIP needs to mount a small file system'
  exit 0
fi

mkdir small
cat >inside <<'END'
mount -t tmpfs -o size=$1 small small || exit 1
shift
"$RETRO" record -o small/recording -- "$@" >out 2>err </dev/null
echo $? >ended
cp -r small/recording .
END

# full SIZE NAME COMMAND...
full ()
{
  size=$1
  name=$2
  shift 2
  rm -rf recording
  run 120 unshare -m sh inside "$size" "$@"
  is "$status" 'exit 0' "$name: runs"
  is "$(cat ended)" 125 "$name: the recording ends"
  like err 'disk full\|No space left' "$name: and says why"
  is "$(wc -l <err)" 1 "$name: in one line"
  [ "$name" = 'in the first image' ] && return
  run 120 "$RETRO" verify recording
  is "$status" 'exit 0' "$name: what there is verifies"
  [ "$status" = 'exit 0' ] || show_err
}

full 8m 'in the log' dd if=/dev/urandom of=/dev/null bs=64k count=2000
full 4k 'in the first image' true

done_testing
