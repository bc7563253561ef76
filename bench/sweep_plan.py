#!/usr/bin/env python3
"""A plan for sweeps of many workers: what rank 0 of `mpirun vta sweep`, or the file system under workers that share a
file, has to do, by a simulation of the queue (events, no clock of this machine).

sweep_plan.py [--workers N...] [--points N] [--point SECONDS] [--message SECONDS] [--lock SECONDS] [--seed N]

--point is how long a point takes a worker (exponential: networks and machines differ), --message how long rank 0 is
busy with a result and the next point, --lock how long the file is locked for an append. Rank 0 serves one message
after the other; so does a file's lock. Prints, for each number of workers, how busy that one is, how much of the
workers' time is lost in waiting, the longest queue, and points an hour. `make bench` gives the measured costs."""

import argparse
import heapq
import random


def simulate(workers, points, point, service, seed):
    """Workers ask one server; it gives each the next point. Returns the time, the server's busy time, what workers
    waited, and the longest queue."""
    dice = random.Random(seed)
    events = [(0.0, w) for w in range(workers)]  # when a worker asks
    heapq.heapify(events)
    free = busy = waited = end = 0.0
    queue, longest, handed = [], 0, 0
    while events and handed < points:
        now, worker = heapq.heappop(events)
        while queue and queue[0] <= now:
            heapq.heappop(queue)
        start = max(now, free)
        free = start + service
        busy += service
        waited += free - now
        heapq.heappush(queue, free)
        longest = max(longest, len(queue))
        handed += 1
        done = free + dice.expovariate(1 / point)
        end = max(end, done)
        heapq.heappush(events, (done, worker))
    return end, busy, waited, longest


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--workers", type=int, nargs="+", default=[100, 1000, 3000, 10000])
    parser.add_argument("--points", type=int, default=200000)
    parser.add_argument("--point", type=float, default=1.0)
    parser.add_argument("--message", type=float, default=0.0001)
    parser.add_argument("--lock", type=float, default=0.0005)
    parser.add_argument("--seed", type=int, default=35)
    o = parser.parse_args()
    print(f"points of {o.point:g} s; rank 0 takes {o.message * 1e6:g} us for each, the lock of a shared file {o.lock * 1e6:g} us")
    print(f"{'workers':>8} {'':12} {'busy':>7} {'waiting':>8} {'queue':>7} {'points/h':>14}")
    for workers in o.workers:
        points = max(o.points, 20 * workers)
        for name, service in (("rank 0", o.message), ("shared file", o.lock)):
            end, busy, waited, longest = simulate(workers, points, o.point, service, o.seed)
            print(f"{workers:8} {name:12} {100 * busy / end:6.1f}% {100 * waited / (workers * end):7.2f}% {longest:7} "
                  f"{3600 * points / end:14,.0f}")


if __name__ == "__main__":
    main()
