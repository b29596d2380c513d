/* A library opened, used, closed and opened again.  */
/* test: same-output */
#include <assert.h>
#include <dlfcn.h>
#include <stdio.h>

int
main (void)
{
  for (int i = 0; i < 3; i++)
    {
      void *lib = dlopen ("libm.so.6", RTLD_NOW);
      assert (lib);
      double (*fn) (double) = (double (*) (double)) dlsym (lib, "cbrt");
      printf ("%.6f\n", fn (27 + i));
      dlclose (lib);
    }
  printf ("%d\n", dlopen ("libnone.so", RTLD_LAZY) == NULL && dlerror () != NULL);
  return 0;
}
