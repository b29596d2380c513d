# Record and verify every program of an area of the test suite.
#
#   . "$SRCDIR/testsuite/lib/record-all.sh"; record_all AREA
#
# Each program runs natively (does it work at all?), is recorded with --check
# and must end as natively, and the recording must verify.  A comment in its
# source says more:
#
#   /* test: threads same-output exit=3 signal=11 stdin */
#
#   threads      record it with several schedules: 5, with RETRO_TEST_LONG 20
#   same-output  stdout is the same in every run, so in the recorded one
#   exit, signal how it ends, if not with exit status 0
#   stdin        give it some input (else /dev/null)
#
# A program that exits with 77 natively cannot work here and is skipped; one that
# has a test of its own, NAME.t, is left to that.
# RETRO_TEST_ONLY=NAME runs only that program.

# shellcheck source=testsuite/lib/tap.sh
. "$SRCDIR/testsuite/lib/tap.sh"

# Set by run.
status=

# Slices in milliseconds for the seeds: short ones put preemptions everywhere.
slices='2 1 0.5 5 20'

# run_program COMMAND...: in a fresh directory, with the input.
run_program ()
{
  rm -rf "$T/cwd"
  mkdir "$T/cwd"
  cd "$T/cwd" || exit 1
  run 60 "$@" <"$input"
  cd "$T" || exit 1
}

# record_once PROGRAM LABEL OPTION...: one recording and its verification.
record_once ()
{
  recorded=$1
  label=$2
  shift 2
  run_program "$RETRO" record -o "$T/recording" --check "$@" -- "$recorded"
  if [ "$status" != "$expected" ]
  then
    ok 1 "$label"
    diag "recorded: $status; natively: $expected"
    show_err
  elif [ -n "$same_output" ] && ! cmp -s "$T/out" "$T/native-out"
  then
    ok 1 "$label"
    diag "other output than natively:"
    diag "$(diff "$T/native-out" "$T/out" | head -n 10)"
    show_err
  else
    run 120 "$RETRO" verify "$T/recording" </dev/null
    [ "$status" = 'exit 0' ]
    ok $? "$label"
    [ "$status" = 'exit 0' ] || { diag "verify: $status"; show_err; }
  fi
  if [ -n "${KEEP-}" ]
  then
    mv "$T/recording" "$T/$label"
  fi
  rm -rf "$T/recording"
}

record_program ()
{
  area=$1
  name=$2
  tags=$(sed -n 's,^.*/\* test: \(.*\) \*/.*$,\1,; T; p; q' "$SRCDIR/testsuite/$area/$name".c*)
  input=/dev/null
  expected='exit 0'
  threads=
  same_output=
  for tag in $tags
  do
    case $tag in
      threads) threads=1 ;;
      same-output) same_output=1 ;;
      stdin) input=$T/input ;;
      exit=*) expected="exit ${tag#*=}" ;;
      signal=*) expected="signal ${tag#*=}" ;;
      *)
        ok 1 "$name: unknown tag $tag"
        return
        ;;
    esac
  done

  run_program "$BUILD/testsuite/$area/$name"
  if [ "$status" = 'exit 77' ]
  then
    skip "$name" 'this machine cannot run it'
    return
  elif [ "$status" != "$expected" ]
  then
    ok 1 "$name: natively"
    diag "$status; expected $expected"
    show_err
    return
  fi
  mv "$T/out" "$T/native-out"

  if [ -z "$threads" ]
  then
    record_once "$BUILD/testsuite/$area/$name" "$name"
    return
  fi
  rounds=1
  [ -z "${RETRO_TEST_LONG-}" ] || rounds='1 2 3 4'
  seed=0
  for _round in $rounds
  do
    for slice in $slices
    do
      seed=$((seed + 1))
      record_once "$BUILD/testsuite/$area/$name" "$name-$seed" --seed $seed --slice "$slice"
    done
  done
}

record_all ()
{
  printf 'first line\nsecond line\nand a last one' >"$T/input"
  for source in "$SRCDIR/testsuite/$1"/*.c "$SRCDIR/testsuite/$1"/*.cc
  do
    program=$(basename "${source%.*}")
    [ -e "$source" ] || continue
    [ ! -e "${source%.*}.t" ] || continue
    [ -z "${RETRO_TEST_ONLY-}" ] || [ "$RETRO_TEST_ONLY" = "$program" ] || continue
    case $program in
      lib*) ;;
      *) record_program "$1" "$program" ;;
    esac
  done
  done_testing
}
