#!/bin/bash
# A recording cut off anywhere replays up to there, or says that it cannot.
: "${SRCDIR:=$(cd "$(dirname "$0")/../.." && pwd)}"
# shellcheck source=testsuite/lib/tap.sh
. "$SRCDIR/testsuite/lib/tap.sh"

run 60 "$RETRO" record -o whole --check -- sh -c 'ls -l /usr/bin /usr/lib | sort; echo done' </dev/null
is "$status" 'exit 0' 'recorded'
size=$(stat -c %s whole/log)
RANDOM=20250721
good=0
for cut in {1..30}
do
  # From the start, from the end, and anywhere.
  case $((cut % 3)) in
    0) length=$((RANDOM % 200)) ;;
    1) length=$((size - 1 - RANDOM % 200)) ;;
    2) length=$(((RANDOM * 32768 + RANDOM) % size)) ;;
  esac
  rm -rf cut
  cp -r whole cut
  truncate -s "$length" cut/log
  run 60 "$RETRO" verify cut
  if [ "$status" = 'exit 0' ]
  then
    good=$((good + 1))
    like "$T/out" 'truncated' "cut at $length of $size: replays, and says that it is cut"
  else
    is "$status" 'exit 1' "cut at $length of $size: refused"
    [ -s "$T/err" ] && [ "$(wc -l <"$T/err")" -eq 1 ]
    ok $? "cut at $length of $size: in one line"
  fi
done
[ "$good" -gt 0 ]
ok $? "$good of 30 replayed"

# Without the files that it refers to.
cp -r whole bare
rm -rf bare/files
run 60 "$RETRO" verify bare
if [ -n "$(ls whole/files 2>/dev/null)" ]
then
  is "$status" 'exit 1' 'without its files: refused'
  is "$(wc -l <"$T/err")" 1 'in one line'
else
  is "$status" 'exit 0' 'it has no files, and needs none'
fi

# The program is not needed any more, nor what it had mapped.
cp "$(command -v ls)" my-ls
run 60 "$RETRO" record -o gone -- ./my-ls /
is "$status" 'exit 0' 'a program of our own'
rm my-ls
run 60 "$RETRO" verify gone
is "$status" 'exit 0' 'verifies after it was removed'
printf '#!/bin/sh\nexit 3\n' >my-ls
chmod +x my-ls
run 60 "$RETRO" verify gone
is "$status" 'exit 0' 'verifies after it was replaced'
mv gone elsewhere
run 60 "$RETRO" verify elsewhere
is "$status" 'exit 0' 'verifies after it was moved'

done_testing
