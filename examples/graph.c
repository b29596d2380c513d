/* A graph that must have no cycle gets one, and the program notices long
   after: the bug is at the insertion of one edge among 421,576, the crash at
   the end.

     graph [K [EVERY]]     34,546 nodes and 421,576 edges, times K (default 1)

   The graph is the size of a citation network, and like citations its edges
   lead from a node to older ones.  One edge leads the other way.  From a
   debugger, has_cycle () tells whether the graph is still good: it only
   reads the graph and has memory of its own.

   With EVERY, the program asks has_cycle () itself after each EVERY-th edge:
   what one would do without a debugger that goes back.  */

/* build: -O0 */

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

enum
{
  NODES = 34546,
  EDGES = 421576
};

static int n_nodes, n_edges;

/* The edges that leave a node: head[node], then next[edge] until -1.  */
static int *head;
static int *next;
static int *to;

/* has_cycle's: for each node 0 (not seen), 1 (on the path) or 2 (done); the
   path itself, and where on each of its nodes the search stands.  */
static char *state;
static int *path;
static int *at;

/* An edge from one node to another.  */
static void
add_edge (int from, int target)
{
  to[n_edges] = target;
  next[n_edges] = head[from];
  head[from] = n_edges++;
}

/* Is there a way from a node back to it?  Depth first, without recursion.  */
int
has_cycle (void)
{
  for (int i = 0; i < n_nodes; i++)
    state[i] = 0;
  for (int start = 0; start < n_nodes; start++)
    {
      int depth = 0;
      if (state[start])
        continue;
      state[start] = 1;
      path[0] = start;
      at[0] = head[start];
      while (depth >= 0)
        {
          int edge = at[depth];
          if (edge < 0)
            {
              state[path[depth--]] = 2;
              continue;
            }
          at[depth] = next[edge];
          int node = to[edge];
          if (state[node] == 1)
            return 1;
          if (state[node] == 0)
            {
              state[node] = 1;
              path[++depth] = node;
              at[depth] = head[node];
            }
        }
    }
  return 0;
}

/* A number below LIMIT: random enough, and the same in every run.  */
static int
pick (int limit)
{
  static unsigned long seed = 20120113;
  seed = seed * 6364136223846793005 + 1442695040888963407;
  return (int) ((seed >> 33) % (unsigned long) limit);
}

static int *
new_array (int n, int value)
{
  int *array = malloc ((size_t) n * sizeof *array);
  assert (array);
  for (int i = 0; i < n; i++)
    array[i] = value;
  return array;
}

static void
build (int k, int every)
{
  int edges = EDGES * k;
  int wrong = edges / 100 * 37 + 1234;
  for (int i = 0; i < edges; i++)
    {
      int from = 1 + pick (n_nodes - 1);
      int target = pick (from);
      if (i == wrong)
        {
          /* Make sure that there is an edge to close a cycle with.  */
          target = from;
          while (head[target] < 0)
            target = pick (n_nodes);
          from = to[head[target]];
        }
      add_edge (from, target);
      if (every > 0 && i % every == 0)
        assert (!has_cycle () && "still without cycles");
    }
}

/* What a program does with its graph: for each node the length of the
   longest chain from it, which only a graph without cycles has.  */
static long
sum_depths (void)
{
  int *depth = new_array (n_nodes, 0);
  long sum = 0;
  for (int node = 0; node < n_nodes; node++)
    {
      for (int e = head[node]; e >= 0; e = next[e])
        if (to[e] < node && depth[to[e]] >= depth[node])
          depth[node] = depth[to[e]] + 1;
      sum += depth[node];
    }
  free (depth);
  return sum;
}

int
main (int argc, char **argv)
{
  int k = argc > 1 ? atoi (argv[1]) : 1;
  if (k < 1 || k > 1000)
    {
      fprintf (stderr, "usage: graph [K [EVERY]], K from 1 to 1000\n");
      return 2;
    }
  n_nodes = NODES * k;
  head = new_array (n_nodes, -1);
  next = new_array (EDGES * k, -1);
  to = new_array (EDGES * k, -1);
  path = new_array (n_nodes, -1);
  at = new_array (n_nodes, -1);
  state = calloc ((size_t) n_nodes, 1);
  assert (state);

  build (k, argc > 2 ? atoi (argv[2]) : 0);
  printf ("%d nodes, %d edges\n", n_nodes, n_edges);
  long depths = 0;
  for (int i = 0; i < 10; i++)
    depths = sum_depths ();
  printf ("depths: %ld\n", depths);
  fflush (stdout);
  assert (!has_cycle () && "a graph without cycles");
  return 0;
}
