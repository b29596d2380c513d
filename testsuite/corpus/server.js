// An HTTP server whose answers are computed by worker threads; it writes its
// port to the file named by its argument and ends on /quit.
const { Worker, isMainThread, parentPort } = require('worker_threads');
const fs = require('fs');
const http = require('http');

if (!isMainThread) {
  parentPort.on('message', ({ id, n }) => {
    let a = 0n, b = 1n;
    for (let i = 0; i < n; i++)
      [a, b] = [b, a + b];
    parentPort.postMessage({ id, text: a.toString() });
  });
} else {
  const workers = [0, 1, 2].map(() => new Worker(__filename));
  const waiting = new Map();
  let next = 0;
  for (const worker of workers)
    worker.on('message', ({ id, text }) => {
      waiting.get(id).end(text + '\n');
      waiting.delete(id);
    });
  const server = http.createServer((request, response) => {
    if (request.url === '/quit') {
      response.end('bye\n', () => {
        server.close();
        for (const worker of workers)
          worker.terminate();
      });
      return;
    }
    const id = next++;
    waiting.set(id, response);
    workers[id % workers.length].postMessage({ id, n: Number(request.url.slice(1)) });
  });
  server.keepAliveTimeout = 100;
  server.listen(0, '127.0.0.1', () => {
    fs.writeFileSync(process.argv[2] + '.new', String(server.address().port));
    fs.renameSync(process.argv[2] + '.new', process.argv[2]);
  });
}
