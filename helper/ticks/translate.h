/* From a program's instructions to a block of the cache.

   What becomes of an instruction (L: counting, see below):

     ordinary            copied verbatim
     pc-relative operand copied with [scratch register] or [absolute] instead
     jmp T               L; jmp T'
     jcc T               L; jcc T'; jmp F'
     call T              L; push [constant]; jmp T'
     ret, jmp/call r/m   L; rcx = target; look up in the table, jump
     syscall, ...        an exit: the helper steps it

   where L is

     mov [State.rcx], rcx ; mov rcx, [State.ticks_left] ; lea rcx, [rcx-1]
     mov [State.ticks_left], rcx ; jrcxz out ; mov rcx, [State.rcx]

   without flags, stack, or a read-modify-write (which costs 4 times as
   much).  Since counting comes first, a run that is out of ticks leaves
   with the branch not yet executed, and the helper steps it.  */

#ifndef RETRO_TICKS_TRANSLATE_H
#define RETRO_TICKS_TRANSLATE_H

#include "ticks/hooks.h"
#include "ticks/source.h"

/* Translate the block at PC and, while that is cheap, what follows it.
   NULL: there is no executable memory there.  The cache must not be
   full.  */
Block *translate_block (Source *source, const Hooks *hooks, const Task *task, Addr pc);

#endif
