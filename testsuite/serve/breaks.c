/* Places to stop at: a loop, a library, a library loaded by hand.  */

/* build: -O0 -L@D@ -lbreaks -Wl,-rpath,@D@ */

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

extern int library_twice (int value);

static int sum;

static int
work (int value)
{
  sum += value;
  return sum; /* behind the sum */
}

int
main (int argc, char **argv)
{
  void *plugin;
  int (*plugged) (int);

  for (int i = 1; i <= 10; i++)
    work (i);
  sum = library_twice (sum);
  if (argc < 2)
    return 0;
  plugin = dlopen (argv[1], RTLD_NOW);
  if (plugin == NULL)
    return 1;
  plugged = (int (*) (int)) dlsym (plugin, "plugged");
  sum = plugged (sum); /* in the plugin */
  dlclose (plugin);
  printf ("sum %d\n", sum);
  return 0;
}
