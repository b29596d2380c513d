/* Locale, character conversion, wide characters, regular expressions.  */
/* test: same-output */
#include <assert.h>
#include <iconv.h>
#include <locale.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>

int
main (void)
{
  char in[] = "Gr\303\274\303\237e", out[20] = "", *pin = in, *pout = out;
  size_t nin = sizeof in - 1, nout = sizeof out;
  regex_t re;
  regmatch_t m[2];
  setlocale (LC_ALL, "C.UTF-8");
  iconv_t cd = iconv_open ("ISO-8859-1", "UTF-8");
  assert (cd != (iconv_t) -1 && iconv (cd, &pin, &nin, &pout, &nout) == 0);
  iconv_close (cd);
  printf ("%d %d\n", (int) (pout - out), (unsigned char) out[2]);
  wchar_t wide[20];
  printf ("%d\n", (int) mbstowcs (wide, in, 20));
  assert (regcomp (&re, "r(.*)e$", REG_EXTENDED) == 0 && regexec (&re, in, 2, m, 0) == 0);
  printf ("%d %d\n", m[1].rm_so, m[1].rm_eo);
  regfree (&re);
  return 0;
}
