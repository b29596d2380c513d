/* A program that rewrites an instruction of a loop while it runs in it.  */
/* test: same-output */
#include <assert.h>
#include <stdio.h>
#include <sys/mman.h>

/*   xor eax, eax
     mov ecx, 100
   1: add eax, 1        the immediate at offset 9 is rewritten by
     inc byte [rip-8]   this instruction
     dec ecx
     jnz 1b
     ret  */
static const unsigned char loop[] = { 0x31, 0xc0, 0xb9, 100, 0, 0, 0, 0x83, 0xc0, 1, 0xfe, 0x05,
                                      0xf9, 0xff, 0xff, 0xff, 0xff, 0xc9, 0x75, 0xf3, 0xc3 };

int
main (void)
{
  unsigned char *code = mmap (NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert (code != MAP_FAILED);
  __builtin_memcpy (code, loop, sizeof loop);
  printf ("%d\n", ((int (*) (void)) (void *) code) ());
  return 0;
}
