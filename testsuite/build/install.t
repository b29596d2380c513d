#!/bin/bash
# What "make install" puts under a prefix works from there, and "make
# uninstall" takes all of it away.
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES
dest=$TMPDIR/dest
number=0
check ()
{
  local what=$1
  shift
  number=$((number + 1))
  if output=$("$@" 2>&1); then
    echo "ok $number - $what"
  else
    echo "not ok $number - $what"
    sed 's/^/# /' <<<"$output"
  fi
}
run_make ()
{
  make -C "$SRCDIR" --no-print-directory B="${BUILD#"$SRCDIR/"}" \
    DESTDIR="$dest" prefix=/opt/retro "$@"
}

with_gdb=false
[[ -e $BUILD/retro.so ]] && with_gdb=true

if $with_gdb; then echo 1..9; else echo 1..5; fi
check "make install" run_make install
check "the program is there" test -x "$dest/opt/retro/bin/retro"
check "the installed program runs" \
  sh -c 'cd / && "$1/opt/retro/bin/retro" doctor | grep -q .' sh "$dest"
if $with_gdb; then
  gdb=$dest/opt/retro/lib/retro/gdb/bin/gdb
  check "the extension is there" test -r "$dest/opt/retro/lib/retro/retro.so"
  check "the installed GDB finds its data" \
    sh -c '"$1" -nx -batch -ex "catch syscall openat" "$2" \
           | grep -q "openat. .257"' \
    sh "$gdb" "$dest/opt/retro/bin/retro"
  check "the installed GDB exports its symbols" \
    sh -c 'nm -D --defined-only "$1" | grep -q parse_expression' sh "$gdb"
  check "nothing installed is a link out of the prefix" \
    sh -c 'test -z "$(find "$1" -type l)"' sh "$dest"
fi
check "make uninstall" run_make uninstall
check "no file is left" sh -c 'test -z "$(find "$1" -not -type d)"' sh "$dest"
