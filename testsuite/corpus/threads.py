"""Threads, queues, JSON and sockets on the loopback interface."""
import hashlib
import json
import queue
import socket
import threading

jobs, results = queue.Queue(), queue.Queue()


def work():
    while True:
        job = jobs.get()
        if job is None:
            return
        digest = hashlib.sha256(job["text"].encode()).hexdigest()
        results.put({"id": job["id"], "sum": sum(ord(c) for c in digest)})


def serve(listening):
    for _ in range(20):
        conn, _ = listening.accept()
        with conn, conn.makefile("rw") as file:
            request = json.loads(file.readline())
            request["square"] = request["n"] ** 2
            file.write(json.dumps(request) + "\n")


threads = [threading.Thread(target=work) for _ in range(4)]
for thread in threads:
    thread.start()
for i in range(3000):
    jobs.put({"id": i, "text": json.dumps({"n": i, "list": list(range(i % 50))})})
for _ in threads:
    jobs.put(None)
for thread in threads:
    thread.join()
print(results.qsize(), sum(results.get()["sum"] for _ in range(3000)))

listening = socket.create_server(("127.0.0.1", 0))
server = threading.Thread(target=serve, args=(listening,))
server.start()
total = 0
for n in range(20):
    with socket.create_connection(listening.getsockname()) as conn, conn.makefile("rw") as file:
        file.write(json.dumps({"n": n}) + "\n")
        file.flush()
        total += json.loads(file.readline())["square"]
server.join()
print(total)
