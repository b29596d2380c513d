/* Code generated at run time, rewritten in place many times.  */
/* test: same-output */
#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

/* mov eax, imm32; ret  */
static const unsigned char template[] = { 0xb8, 0, 0, 0, 0, 0xc3 };

int
main (void)
{
  unsigned char *code = mmap (NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  int (*fn) (void) = (int (*) (void)) (void *) code;
  long sum = 0;
  assert (code != MAP_FAILED);
  for (int i = 0; i < 1000; i++)
    {
      memcpy (code, template, sizeof template);
      memcpy (code + 1, &i, 4);
      sum += fn ();
    }
  printf ("%ld\n", sum);
  mprotect (code, 4096, PROT_READ | PROT_EXEC);
  printf ("%d\n", fn ());
  return 0;
}
