/* A program without any library: three system calls.  */
/* build: -nostdlib -static -fno-stack-protector */
/* test: same-output exit=42 */
void _start (void);

static long
call (long n, long a, long b, long c)
{
  long ret;
  __asm__ volatile ("syscall" : "=a"(ret) : "a"(n), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
  return ret;
}

void
_start (void)
{
  static const char text[] = "no library\n";
  call (1, 1, (long) text, sizeof text - 1);
  call (39, 0, 0, 0);
  call (231, 42, 0, 0);
  __builtin_unreachable ();
}
