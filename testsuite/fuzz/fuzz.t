#!/bin/bash
# Every fuzzer on its seeds and on inputs mutated from them: a short run of
# what "make fuzz" does at length.  (An input that kills one is kept beside
# the fuzzer.)
# timeout: 900
shopt -s nullglob
sources=()
for source in "$SRCDIR"/testsuite/fuzz/*.c; do
  [[ $source == */driver.c ]] || sources+=("$source")
done
echo "1..${#sources[@]}"
number=0
for source in "${sources[@]}"; do
  name=$(basename "$source" .c)
  fuzzer=$BUILD/testsuite/fuzz/$name
  seeds=("$SRCDIR/testsuite/fuzz/$name.seeds"/*)
  number=$((number + 1))
  if ((${#seeds[@]} == 0)); then
    echo "not ok $number - $name has no seeds in testsuite/fuzz/$name.seeds"
  elif output=$("$fuzzer" -n "${FUZZ_COUNT:-20000}" "${seeds[@]}" 2>&1); then
    echo "ok $number - $name: ${output##*$'\n'}"
  else
    echo "not ok $number - $name: status $?, input in $fuzzer.crash"
    head -n 60 <<<"$output" | sed 's/^/# /'
  fi
done
