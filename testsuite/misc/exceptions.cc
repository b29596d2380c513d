// C++: exceptions through frames with destructors, from a thread, and one
// that nobody catches, which aborts.
/* test: same-output signal=6 */
#include <iostream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace
{
struct Guard
{
  std::string name;
  ~Guard () { std::cout << "unwound " << name << "\n"; }
};

void
fail (int depth)
{
  Guard guard{ std::to_string (depth) };
  if (depth == 0)
    throw std::runtime_error ("deep down");
  fail (depth - 1);
}
}

int
main ()
{
  try
    {
      fail (3);
    }
  catch (const std::exception &e)
    {
      std::cout << "caught " << e.what () << "\n";
    }
  std::vector<int> v (3);
  std::thread ([&] {
    try
      {
        v.at (5) = 1;
      }
    catch (const std::out_of_range &)
      {
        std::cout << "out of range" << std::endl;
      }
  }).join ();
  throw 42;
}
