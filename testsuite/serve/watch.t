#!/usr/bin/perl
# Watchpoints, forward while live and backward.

use strict;
use warnings;
use File::Basename;
use lib dirname (__FILE__);
use Stock;
use Test::More;

dialogue 'watch', 'serve/watch', <<'END';
(gdb) break main
(gdb) run
(gdb) watch counter
Hardware watchpoint 2: counter
(gdb) watch same
Hardware watchpoint 3: same
(gdb) continue
Hardware watchpoint 2: counter
Old value = 0
New value = 1
...main...
(gdb) continue
Old value = 1
New value = 2
(gdb) continue
Old value = 2
New value = 3
(gdb) delete 2
# Writing what is there already is no change.
(gdb) continue
...exited with status 0...
(gdb) watch counter
Hardware watchpoint 4: counter
(gdb) reverse-continue
Hardware watchpoint 4: counter
Old value = 3
New value = 2
(gdb) reverse-continue
Old value = 2
New value = 1
(gdb) continue
Old value = 1
New value = 2
(gdb) reverse-continue
Old value = 2
New value = 1
(gdb) watch counter if counter == 3
(gdb) delete 4
(gdb) continue
Hardware watchpoint 5: counter
Old value = ...
New value = 3
END

# Most hits are skipped on the way back; none that counts may be.
dialogue 'a crowd of hits', 'serve/crowd', <<'END';
(gdb) break done
(gdb) run
(gdb) watch word
(gdb) reverse-continue
Hardware watchpoint 2: word
Old value = 19999
New value = 19998
(gdb) reverse-continue
Old value = 19998
New value = 19997
(gdb) continue
Old value = 19997
New value = 19998
(gdb) continue
Old value = 19998
New value = 19999
(gdb) delete 2
(gdb) watch flag
(gdb) continue
Breakpoint 1, done...
(gdb) reverse-continue
Hardware watchpoint 3: flag
Old value = 1
New value = 0
...changes once...
(gdb) print word
...= 3000
(gdb) watch quiet
(gdb) reverse-continue
! /Hardware watchpoint/
(gdb) print word
...= 0
END

dialogue 'watch through a pointer, -location, locals', 'serve/watch', <<'END';
(gdb) break main
(gdb) run
(gdb) watch chosen->second
Hardware watchpoint 2: chosen->second
(gdb) continue
Old value = 0
New value = 20
set (...
(gdb) continue
Hardware watchpoint 2: chosen->second
Old value = 20
New value = 0
main () ...
(gdb) continue
Old value = 0
New value = 40
(gdb) reverse-continue
Old value = 40
New value = 0
... in set (...
(gdb) reverse-continue
Old value = 0
New value = 20
(gdb) reverse-continue
Old value = 20
New value = 0
(gdb) delete 2
(gdb) watch -location pairs[1].first
Hardware watchpoint 3: -location pairs[1].first
(gdb) continue
Old value = 0
New value = 20
(gdb) delete 3
(gdb) break local
(gdb) continue
(gdb) watch result
Hardware watchpoint 5: result
(gdb) continue
New value = 1
(gdb) continue
Old value = 1
New value = 2
(gdb) continue
Old value = 2
New value = 4
(gdb) continue
Old value = 4
New value = 8
(gdb) continue
Watchpoint 5 deleted because the program has left the block in
which its expression is valid.
...main...
END

dialogue 'rwatch and awatch', 'serve/watch', <<'END';
(gdb) break 58
(gdb) run
(gdb) rwatch same
Hardware read watchpoint 2: same
(gdb) continue
Hardware read watchpoint 2: same
Value = 7
...main...
(gdb) awatch chosen
Hardware access (read/write) watchpoint 3: chosen
(gdb) continue
...exited...
(gdb) reverse-continue
Hardware read watchpoint 2: same
Value = 7
(gdb) reverse-continue
Hardware access (read/write) watchpoint 3: chosen
Value = (...) 0x... <pairs+16>
(gdb) reverse-continue
Hardware access (read/write) watchpoint 3: chosen
Old value = (...) 0x... <pairs+16>
New value = (...) 0x... <pairs>
END

dialogue 'no more than four words', 'serve/watch', <<'END';
(gdb) break main
(gdb) run
(gdb) watch wide[0]
(gdb) watch wide[1]
(gdb) watch wide[2]
(gdb) watch wide[3]
(gdb) watch wide[4]
(gdb) continue
Could not insert hardware watchpoint 6.
Could not insert hardware breakpoints:
You may have requested too many hardware breakpoints/watchpoints.
(gdb) delete 6
(gdb) continue
Hardware watchpoint ...: wide[...]
Old value = 0
(gdb) delete 2-5
(gdb) watch wide
/(Watchpoint|Hardware watchpoint) .*: wide/
END

dialogue 'memory that a call writes', 'serve/watch', <<'END';
(gdb) break main
(gdb) run
(gdb) watch *(int *) text
Hardware watchpoint 2: *(int *) text
(gdb) continue
Hardware watchpoint 2: *(int *) text
Old value = 0
New value = 6513249
...read...
(gdb) up
...main...
(gdb) continue
...exited with status 0...
(gdb) reverse-continue
Hardware watchpoint 2: *(int *) text
Old value = 6513249
New value = 0
(gdb) bt
/#\d+ .*read.*/
/#\d+ .*main \(\).*/
(gdb) continue
New value = 6513249
END

dialogue 'the thread that did it', 'serve/watch', <<'END';
(gdb) break main
(gdb) run
(gdb) watch shared
(gdb) continue
Old value = 0
New value = 1
(gdb) continue
Thread 2 ... hit Hardware watchpoint 2: shared
Old value = 1
New value = 2
other (unused=...
(gdb) continue
Thread 1 ... hit Hardware watchpoint 2: shared
New value = 3
(gdb) continue
(gdb) reverse-continue
Thread 1 ... hit Hardware watchpoint 2: shared
Old value = 3
New value = 2
(gdb) reverse-continue
Thread 3 ... hit Hardware watchpoint 2: shared
Old value = 2
New value = 1
other (unused=...
(gdb) reverse-continue
Thread 1 ... hit Hardware watchpoint 2: shared
Old value = 1
New value = 0
END

dialogue 'software watchpoints, step by step', 'serve/watch', <<'END';
(gdb) break main
(gdb) run
(gdb) set can-use-hw-watchpoints 0
(gdb) watch counter
Watchpoint 2: counter
(gdb) continue
Watchpoint 2: counter
Old value = 0
New value = 1
(gdb) continue
New value = 2
(gdb) reverse-continue
Old value = 2
New value = 1
END

done_testing;
