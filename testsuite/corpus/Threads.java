import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;

/** Threads that compute, allocate, lock and wait; the output is fixed. */
public class Threads {
  static long total;

  static synchronized void add (long n) {
    total += n;
  }

  public static void main (String[] args) throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool (4);
    AtomicLong steps = new AtomicLong ();
    List<Future<Long>> futures = new ArrayList<> ();
    for (int i = 0; i < 40; i++) {
      final int start = i * 500 + 1;
      futures.add (pool.submit (() -> {
        long sum = 0;
        for (int n = start; n < start + 500; n++) {
          StringBuilder text = new StringBuilder ();
          for (long k = n; k != 1; k = k % 2 == 0 ? k / 2 : 3 * k + 1) {
            text.append ((char) ('a' + k % 26));
            steps.incrementAndGet ();
          }
          sum += text.toString ().hashCode ();
          add (text.length ());
        }
        return sum;
      }));
    }
    long sum = 0;
    for (Future<Long> f : futures)
      sum += f.get ();
    pool.shutdown ();
    System.out.println (sum + " " + steps + " " + total);
  }
}
