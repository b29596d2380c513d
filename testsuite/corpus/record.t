#!/bin/bash
# Real programs, recorded and verified: `make check-corpus'.
# timeout: 7200
#
#   record.t [NAME...]     only these
#
# Each is run natively on one CPU, then recorded with the same input, then its
# recording is verified.  The recorded run must end as the native one and,
# where the program's output is the same in every run, write the same.  The
# table at the end says what it cost.  What is missing is installed if we are
# root and there is apt, or else skipped.

: "${SRCDIR:=$(cd "$(dirname "$0")/../.." && pwd)}"
# shellcheck source=testsuite/lib/tap.sh
. "$SRCDIR/testsuite/lib/tap.sh"
# shellcheck source=testsuite/corpus/inputs.sh
. "$SRCDIR/testsuite/corpus/inputs.sh"

only=" $* "
LIMIT=${RETRO_CORPUS_LIMIT:-600}
: >"$T/table"

# need PROGRAM PACKAGE: is it there, or can it be installed?
need ()
{
  command -v "$1" >"$T/which" && return
  [ "$(id -u)" -eq 0 ] && command -v apt-get >"$T/which" || return
  diag "installing $2"
  # Daemons stay down.
  printf '#!/bin/sh\nexit 101\n' >"$T/policy"
  chmod +x "$T/policy"
  POLICYRCD=$T/policy DEBIAN_FRONTEND=noninteractive timeout 600 \
    apt-get install -y -q --no-install-recommends "$2" >"$T/apt.log" 2>&1
  command -v "$1" >"$T/which"
}

wanted ()
{
  [ "$only" = '  ' ] || [[ $only == *" $1 "* ]]
}

now ()
{
  date +%s.%N
}

# ratio A B, to two places
ratio ()
{
  awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", (b > 0 ? a / b : 0) }'
}

# since START
since ()
{
  awk -v a="$1" -v b="$(now)" 'BEGIN { printf "%.3f", b - a }'
}

# Run a command, perhaps with a client at its side; sets status, elapsed.
run_with_client ()
{
  local start
  start=$(now)
  if [ -n "$client" ]
  then
    "$client" >"$T/client.out" 2>&1 &
    local pid=$!
    run "$LIMIT" "$@" <"$input"
    if ! kill -0 "$pid" 2>"$T/kill"
    then
      wait "$pid" || status="$status, client failed"
    else
      # The server ended before its client saw it.
      timeout 10 tail --pid="$pid" -f /dev/null || kill "$pid" 2>"$T/kill"
      wait "$pid" || status="$status, client failed"
    fi
  else
    run "$LIMIT" "$@" <"$input"
  fi
  elapsed=$(since "$start")
}

# try NAME COMMAND...: with $input, $client (a function), $setup (one, run
# before each run), $same (compare the outputs).
try ()
{
  local name=$1 native recorded replayed events bytes exact=no native_status
  shift
  wanted "$name" || return 0
  mkdir "$T/$name"
  cd "$T/$name" || exit 1

  $setup
  run_with_client taskset -c 0 "$@"
  native=$elapsed
  native_status=$status
  cp "$T/out" "$T/native-out"
  if [ "$status" = timeout ] || [[ $status == *failed* ]]
  then
    skip "$name" "natively: $status"
    show_err
    return
  fi

  $setup
  run_with_client "$RETRO" record -o "$T/recording" -- "$@"
  recorded=$elapsed
  is "$status" "$native_status" "$name: ends as natively"
  [ "$status" = "$native_status" ] || { show_err; [ -z "$client" ] || diag "$(tail -n 5 "$T/client.out")"; }
  if [ -n "$same" ]
  then
    cmp -s "$T/out" "$T/native-out"
    ok $? "$name: writes what it writes natively"
  fi

  local start
  start=$(now)
  run "$((LIMIT * 2))" "$RETRO" verify "$T/recording" </dev/null
  replayed=$(since "$start")
  is "$status" 'exit 0' "$name: exact"
  if [ "$status" = 'exit 0' ]
  then
    exact=yes
  else
    show_err
  fi
  run 60 "$RETRO" info "$T/recording"
  events=$(sed -n 's/^events  *\([0-9]*\).*/\1/p' "$T/out")
  bytes=$(stat -c %s "$T/recording/log")
  printf '%-14s %9s %9s %8.2f %9s %9s  %s\n' "$name" "${events:--}" \
    "$(ratio "$bytes" "${events:-0}")" "$native" "$(ratio "$recorded" "$native")" \
    "$(ratio "$replayed" "$native")" "$exact" >>"$T/table"
  cd "$T" || exit 1
  if [ -n "${KEEP-}" ]
  then
    mv "$T/recording" "$T/$name/recording"
  else
    rm -rf "$T/recording" "${T:?}/$name"
  fi
}

# Defaults, set again after each row that changes them.
plain ()
{
  input=/dev/null
  client=
  setup=:
  same=1
}

# --- Programs that read files and write text.

plain
try ls ls -lR --time-style=full-iso /usr/include /usr/share/doc
if wanted sort
then
  make_lines 400000 >"$T/lines"
fi
try sort sort --parallel=4 -S 32M -T "$T" "$T/lines"
try tar tar -czf archive.tgz -C /usr include
if wanted gzip || wanted pigz || wanted pbzip2
then
  make_lines 300000 >"$T/text"
fi
try gzip gzip -c "$T/text"
try bash bash "$SRCDIR/testsuite/corpus/script.bash"
try bc bc -lq "$SRCDIR/testsuite/corpus/pi.bc"
need perl perl && try perl perl "$SRCDIR/testsuite/corpus/words.pl" /usr/share/common-licenses/*

if wanted cc1 && need gcc gcc
then
  make_c_file 1500 >"$T/big.c"
  try cc1 "$(gcc -print-prog-name=cc1)" -quiet -O2 "$T/big.c" -o big.s
fi
if wanted git && need git git && git -C "$SRCDIR" rev-parse HEAD >"$T/which" 2>&1
then
  try git git --no-pager -C "$SRCDIR" log -p
fi
if wanted sqlite3 && need sqlite3 sqlite3
then
  make_sql 100000 >"$T/rows.sql"
  input=$T/rows.sql
  setup='rm -f rows.db'
  try sqlite3 sqlite3 rows.db
  plain
fi

# --- Threads.

wanted pigz && need pigz pigz && try pigz pigz -p4 -c "$T/text"
wanted pbzip2 && need pbzip2 pbzip2 && try pbzip2 pbzip2 -p4 -c "$T/text"
wanted python3 && need python3 python3 && try python3 python3 "$SRCDIR/testsuite/corpus/threads.py"
same=
wanted openssl && need openssl openssl && try openssl openssl speed -seconds 1 sha256 aes-256-gcm
plain

if wanted java && need javac default-jdk-headless
then
  javac -d "$T/classes" "$SRCDIR/testsuite/corpus/Threads.java" 2>"$T/err"
  try java java -cp "$T/classes" Threads
fi

# --- Servers with clients.

# wait_for COMMAND...: until it succeeds, at most 60 s.
wait_for ()
{
  for _ in {1..600}
  do
    timeout 5 "$@" >"$T/wait" 2>&1 && return
    sleep 0.1
  done
  return 1
}

if wanted node && need node nodejs
then
  same=
  node_client ()
  {
    wait_for test -s port
    timeout 120 bash "$SRCDIR/testsuite/corpus/http-client.bash" "$(cat port)" 200
  }
  client=node_client
  setup='rm -f port'
  try node node "$SRCDIR/testsuite/corpus/server.js" port
  plain
fi

if wanted redis && need redis-server redis-server && need redis-benchmark redis-tools
then
  same=
  redis_client ()
  {
    wait_for redis-cli -s "$T/redis.sock" ping
    timeout "$LIMIT" redis-benchmark -q -s "$T/redis.sock" -n 25000 -t set,get,incr,lpush
    redis-cli -s "$T/redis.sock" shutdown nosave
    return 0
  }
  client=redis_client
  setup='rm -f dump.rdb'
  try redis redis-server --port 0 --unixsocket "$T/redis.sock" --save '' --daemonize no
  plain
fi

if wanted mariadb && need mariadbd mariadb-server
then
  same=
  chmod 755 "$T"
  server=(mariadbd --no-defaults "--datadir=$T/mariadb/data" "--socket=$T/mariadb.sock" --skip-networking
    --innodb-buffer-pool-size=16M "--pid-file=$T/mariadb.pid" --skip-grant-tables --user="$(id -un)")
  mariadb_setup ()
  {
    rm -rf data
    mariadb-install-db --no-defaults "--datadir=$T/mariadb/data" --user="$(id -un)" >"$T/install" 2>&1
  }
  mariadb_client ()
  {
    wait_for mariadb -S "$T/mariadb.sock" -e 'select 1'
    mariadb -S "$T/mariadb.sock" -e 'create database t; create table t.t (a int primary key, b int)'
    for i in 1 2 3 4
    do
      make_queries "$i" 250 | timeout "$LIMIT" mariadb -S "$T/mariadb.sock" t >"$T/queries-$i" &
    done
    wait
    mariadb -S "$T/mariadb.sock" -e 'select count(*), sum(b) from t.t'
    mariadb-admin -S "$T/mariadb.sock" shutdown
  }
  client=mariadb_client
  setup=mariadb_setup
  try mariadb "${server[@]}"
  plain
fi

# --- On a terminal.

if wanted vim && need vim vim
then
  same=
  cat >"$T/in-pty" <<'END'
#!/bin/sh
# Type into a program on a pseudo terminal.
"$SRCDIR/testsuite/corpus/type-into" 'ihello from a terminal<ESC>yy500p:%s/hello/good bye/g<CR>gg=G:w! edited<CR>:q!<CR>' "$@"
END
  chmod +x "$T/in-pty"
  mkdir "$T/vim"
  cd "$T/vim" || exit 1
  start=$(now)
  run 60 "$T/in-pty" taskset -c 0 vim -Nu NONE
  native=$(since "$start")
  mv edited native-edited
  start=$(now)
  run 120 "$T/in-pty" "$RETRO" record -o "$T/recording" -- vim -Nu NONE
  recorded=$(since "$start")
  is "$status" 'exit 0' 'vim: recorded'
  cmp -s edited native-edited
  ok $? 'vim: wrote what was typed'
  start=$(now)
  run 120 "$RETRO" verify "$T/recording" </dev/null
  replayed=$(since "$start")
  is "$status" 'exit 0' 'vim: exact'
  [ "$status" = 'exit 0' ] && exact=yes || { exact=no; show_err; }
  run 60 "$RETRO" info "$T/recording"
  events=$(sed -n 's/^events  *\([0-9]*\).*/\1/p' "$T/out")
  printf '%-14s %9s %9s %8.2f %9s %9s  %s\n' vim "$events" \
    "$(ratio "$(stat -c %s "$T/recording/log")" "${events:-0}")" "$native" "$(ratio "$recorded" "$native")" \
    "$(ratio "$replayed" "$native")" "$exact" >>"$T/table"
  cd "$T" || exit 1
fi

diag "$(printf '%-14s %9s %9s %8s %9s %9s  %s\n' program events bytes/ev native/s rec/nat rep/nat exact; cat "$T/table")"
done_testing
