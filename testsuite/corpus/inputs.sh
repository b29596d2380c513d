# Inputs for the programs of the corpus, the same in every run; sourced.

# make_lines N: lines of pseudo-random words.
make_lines ()
{
  awk -v n="$1" 'BEGIN {
    x = 1
    for (i = 0; i < n; i++) {
      x = (x * 1103515245 + 12345) % 2147483648
      printf "%d line %d of %x\n", x, i, x % 65536
    }
  }'
}

# make_c_file N: a C program of N functions.
make_c_file ()
{
  echo '#define NULL ((void *) 0)'
  awk -v n="$1" 'BEGIN {
    for (i = 0; i < n; i++) {
      printf "struct s%d { int a[%d]; struct s%d *next; };\n", i, i % 7 + 1, i
      printf "int f%d (struct s%d *s, int x)\n{\n  int sum = 0;\n", i, i
      printf "  for (struct s%d *p = s; p != NULL; p = p->next)\n", i
      printf "    for (int i = 0; i < %d; i++)\n", i % 7 + 1
      printf "      switch ((p->a[i] + x) %% 5) {\n"
      printf "      case 0: sum += p->a[i] * %d; break;\n", i + 3
      printf "      case 1: sum ^= x << %d; break;\n", i % 31
      printf "      case 3: sum -= %s; break;\n      default: sum++; }\n", i ? "f" (i - 1) " (NULL, sum)" : "x"
      printf "  return sum;\n}\n"
    }
  }'
}

# make_sql N: a table of N rows, an index, and questions.
make_sql ()
{
  echo 'create table t (id integer primary key, name text, value integer); begin;'
  awk -v n="$1" 'BEGIN {
    x = 1
    for (i = 0; i < n; i++) {
      x = (x * 1103515245 + 12345) % 2147483648
      printf "insert into t values (%d, \047name-%d\047, %d);\n", i, x % 1000, x
    }
  }'
  echo 'commit; create index by_name on t (name);'
  echo 'select count(*), sum(value) from t; select name, count(*) from t group by name order by 2, 1 limit 5;'
  echo 'delete from t where value % 3 = 0; select count(*) from t; vacuum;'
}

# make_queries CLIENT N: for a table (a int primary key, b int).
make_queries ()
{
  awk -v c="$1" -v n="$2" 'BEGIN {
    for (i = 0; i < n; i++) {
      if (i % 5 < 3)
        printf "insert into t values (%d, %d);\n", c * 10000 + i, i * 7
      else if (i % 5 == 3)
        printf "update t set b = b + 1 where a = %d;\n", c * 10000 + i - 1
      else
        printf "select count(*), max(b) from t where a < %d;\n", c * 10000 + i
    }
  }'
}
