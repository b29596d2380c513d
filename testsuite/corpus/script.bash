# A shell script that uses much of bash: arrays, arithmetic, functions, here
# documents, pipelines, substitutions, subshells, traps.
declare -A count
collatz ()
{
  local n=$1 steps=0
  while ((n != 1))
  do
    ((n = n % 2 ? 3 * n + 1 : n / 2, ++steps))
  done
  REPLY=$steps
}
for i in {1..600}
do
  collatz "$i"
  count[$REPLY]=$((${count[$REPLY]-0} + 1))
done
for key in "${!count[@]}"
do
  echo "$key ${count[$key]}"
done | sort -n | tail -n 5
for i in {1..40}
do
  words=$(tr a-z b-za <<<"word $i" | rev)
  [[ $words =~ ([0-9]+)\ (.*) ]] && echo "${BASH_REMATCH[2]^^}-${BASH_REMATCH[1]}"
done
trap 'echo leaving' EXIT
(
  cd /
  printf '%s\n' */ | wc -l
) >/dev/null
while read -r line
do
  printf '%s|' "${line//o/0}"
done <<END
one
two
$(seq 3 | paste -sd+ | tee /dev/null)
END
echo
coproc cat
echo through a coprocess >&"${COPROC[1]}"
read -r line <&"${COPROC[0]}"
echo "$line"
kill "$COPROC_PID"
wait 2>/dev/null
exit 0
