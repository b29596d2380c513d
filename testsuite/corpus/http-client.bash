# Ask the server N times and check its answers: http-client.bash PORT N
get ()
{
  local line body=
  exec 3<>"/dev/tcp/127.0.0.1/$1" || return
  printf 'GET /%s HTTP/1.0\r\n\r\n' "$2" >&3
  while read -r line <&3
  do
    body=$line
  done
  exec 3>&-
  echo "$body"
}
failures=0
for ((i = 0; i < $2; i++))
do
  [ "$(get "$1" 30)" = 832040 ] || failures=$((failures + 1))
done
echo "$failures failures; $(get "$1" quit)"
[ "$failures" -eq 0 ]
