#!/bin/bash
# Nothing needs root: an unprivileged user, namespaces, no terminal, an empty
# environment.
: "${SRCDIR:=$(cd "$(dirname "$0")/../.." && pwd)}"
# shellcheck source=testsuite/lib/tap.sh
. "$SRCDIR/testsuite/lib/tap.sh"

chmod 755 "$T"
mkdir -m 777 shared
export XDG_DATA_HOME=$T/shared
programs=$BUILD/testsuite

# record_as NAME COMMAND...: a threaded program and one that maps files.
record_as ()
{
  name=$1
  shift
  for program in threads/mutex memory/file-shared signals/alarm-compute processes/popen
  do
    rm -rf shared/*
    run 60 "$@" sh -c 'cd "$1" && exec "$RETRO" record -o recording --check -- "$2"' sh \
      "$T/shared" "$programs/$program" </dev/null
    is "$status" 'exit 0' "$name: $program is recorded"
    [ "$status" = 'exit 0' ] || show_err
    run 60 "$@" "$RETRO" verify shared/recording </dev/null
    is "$status" 'exit 0' "$name: $program verifies"
    [ "$status" = 'exit 0' ] || show_err
  done
}

# can COMMAND...: does this way of running work here?
can ()
{
  "$@" test -x "$RETRO" -a -x "$programs/threads/mutex" 2>/dev/null
}

record_as 'as we are'
record_as 'in a session without a terminal' setsid -w
record_as 'with an empty environment' env -i "RETRO=$RETRO" PATH=/usr/bin:/bin

if [ "$(id -u)" -ne 0 ]
then
  skip 'as nobody' 'needs root to become nobody'
elif can setpriv --reuid 65534 --regid 65534 --clear-groups --bounding-set -all
then
  record_as 'as nobody' setpriv --reuid 65534 --regid 65534 --clear-groups --bounding-set -all
  record_as 'with no new privileges' setpriv --reuid 65534 --regid 65534 --clear-groups --no-new-privs
else
  skip 'as nobody' 'nobody may not read the build tree'
fi

if can unshare --user --map-root-user --mount --pid --fork --mount-proc
then
  record_as 'in namespaces' unshare --user --map-root-user --mount --pid --fork --mount-proc
else
  skip 'in namespaces' 'namespaces are not allowed'
fi

if can unshare --net --ipc --uts
then
  record_as 'in network and IPC namespaces' unshare --net --ipc --uts
fi

run 60 taskset -c 0 "$RETRO" record -o one-cpu -- nproc
is "$(cat "$T/out")" 1 'on one CPU'
run 60 bash -c 'ulimit -n 32; exec "$RETRO" record -o few -- true'
is "$status" 'exit 0' 'with few descriptors'
run 60 bash -c 'ulimit -c 0; ulimit -s 1024; exec "$RETRO" record -o little -- true'
is "$status" 'exit 0' 'with a small stack'

done_testing
