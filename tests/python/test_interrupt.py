"""Ctrl-C while the library works: KeyboardInterrupt comes soon, and everything works afterwards."""

import os
import signal
import subprocess
import sys
import threading
import time
import unittest

import common
import numpy as np
import vta
from vta import te

_KERNEL = """
import sys, threading, time
import numpy as np
import vta
from vta import te
sys.path.insert(0, {here!r})
import programs

env = vta.get_env()
s, args = programs.conv2d(env)
kernel = vta.build(s, args, "ext_dev", name="kernel")
dev = vta.ext_dev(0)
rng = np.random.default_rng(1)
inputs = {{t: rng.integers(-128, 128, size=t.shape).astype(t.dtype) for t in args[:-1]}}
arrays = [vta.nd.array(a, dev) for a in inputs.values()] + [vta.nd.empty(args[-1].shape, args[-1].dtype, dev)]
kernel(*arrays)
expected = arrays[-1].numpy()
print("ready", flush=True)
try:
    {long}
except KeyboardInterrupt:
    print("interrupted", flush=True)
arrays[-1].copyfrom(np.zeros_like(expected))
kernel(*arrays)
print("right" if (arrays[-1].numpy() == expected).all() else "wrong", flush=True)
"""

_COMPILE = """
import sys
import vta
sys.path.insert(0, {here!r})
import programs

env = vta.get_env()
s, args = programs.conv2d(env)
vta.lower(s, args)
print("ready", flush=True)
try:
    while True:
        {long}
except KeyboardInterrupt:
    print("interrupted", flush=True)
vta.build(s, args)
print("right", flush=True)
"""

_HOST = """
import numpy as np
import vta
from vta import te

n = 1400
a, b = te.placeholder((n, n), name="A", dtype="float64"), te.placeholder((n, n), name="B", dtype="float64")
k = te.reduce_axis((0, n), name="k")
c = te.compute((n, n), lambda i, j: te.sum(a[i, k] * b[k, j], axis=k), name="C")
half = te.compute((n, n), lambda i, j: c[i, j] / 2, name="H")
s = te.create_schedule(half.op)
if {parallel}:
    s[half].parallel(s[half].op.axis[0])
kernel = vta.build(s, [a, b, half], "llvm")
x, y, z = (vta.nd.array(np.full((n, n), v)) for v in (1.0, 2.0, 0.0))
small = vta.build(te.create_schedule((d := te.compute((4,), lambda i: a[i, i] + 1)).op), [a, d], "llvm")
four = vta.nd.empty((4,), "float64")
print("ready", flush=True)
try:
    while True:
        {long}
except KeyboardInterrupt:
    print("interrupted", flush=True)
small(x, four)
print("right" if (four.numpy() == 2).all() else "wrong", flush=True)
"""


class Interrupts(unittest.TestCase):
    def check(self, text, long, signals=1):
        """Runs a program until it is ready, sends it SIGINT while it works, and reads what it says."""
        program = text.format(here=os.path.dirname(os.path.abspath(__file__)), long=long)
        child = subprocess.Popen([sys.executable, "-c", program], env=common.environment(), stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, text=True)
        with child:
            self.assertEqual(child.stdout.readline(), "ready\n", child.poll() and child.stderr.read())
            time.sleep(0.3)
            begin = time.monotonic()
            for _ in range(signals):
                child.send_signal(signal.SIGINT)
            line = child.stdout.readline()
            took = time.monotonic() - begin
            rest, errors = child.stdout.read(), child.stderr.read()
            child.wait(120)
        self.assertEqual((line, rest, child.returncode), ("interrupted\n", "right\n", 0), errors)
        return took

    def test_a_long_run(self):
        # A hundred thousand rounds inside one C call: Python itself could not react before the end of it.
        took = self.check(_KERNEL, 'kernel["kernel"].time(*arrays, number=100000, repeat=1)')
        self.assertLess(took, 10)

    def test_calls_in_a_loop(self):
        self.check(_KERNEL, "while True: kernel(*arrays)")

    def test_a_custom_wakeup_descriptor_still_hears(self):
        self.check(_KERNEL, """
    import os, signal
    read, write = os.pipe()
    os.set_blocking(write, False)
    signal.set_wakeup_fd(write)
    time.sleep(0.15)
    try:
        kernel["kernel"].time(*arrays, number=100000, repeat=1)
    finally:
        assert os.read(read, 1)[0] == signal.SIGINT""")

    def test_host_code(self):
        # One call takes seconds, and must not be waited for.
        for parallel in (False, True):
            took = self.check(_HOST.replace("{parallel}", str(parallel)), "kernel(x, y, z)")
            self.assertLess(took, 10)
        self.check(_HOST.replace("{parallel}", "False"), "small(x, four)")
        self.check(_HOST.replace("{parallel}", "False"), "small[\"default_function\"].time(x, four, number=10**9, repeat=1)")

    def test_compiling(self):
        self.check(_COMPILE, "vta.lower(s, args)")
        self.check(_COMPILE, "vta.build(s, args)")


class Threads(unittest.TestCase):
    def test_kernels_in_other_threads(self):
        shape = (1, 4, 1, 16)
        results, errors = {}, []

        def work(number):
            try:
                with vta.Environment({}) as env:
                    a = te.placeholder(shape, name="A", dtype=env.acc_dtype)
                    a_buf = te.compute(shape, lambda *i: a(*i), "A_buf")
                    b_buf = te.compute(shape, lambda *i: a_buf(*i) + number, "B_buf")
                    b = te.compute(shape, lambda *i: b_buf(*i).astype(env.inp_dtype), "B")
                    s = te.create_schedule(b.op)
                    for t in (a_buf, b_buf):
                        s[t].set_scope(env.acc_scope)
                    for t in (a_buf, b):
                        s[t].pragma(s[t].op.axis[0], env.dma_copy)
                    s[b_buf].pragma(s[b_buf].op.axis[0], env.alu)
                    kernel = vta.build(s, [a, b], name=f"add{number}")
                    dev = vta.ext_dev(0)
                    x = vta.nd.array(np.full(shape, 1, "int32"), dev)
                    y = vta.nd.empty(shape, "int8", dev)
                    for _ in range(20):
                        kernel(x, y)
                    results[number] = y.numpy()
            except BaseException as error:  # pylint: disable=broad-except
                errors.append(error)

        threads = [threading.Thread(target=work, args=(n,)) for n in range(1, 5)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(errors, [])
        for number, value in results.items():
            self.assertTrue((value == number + 1).all())
        self.assertEqual(sorted(results), [1, 2, 3, 4])


if __name__ == "__main__":
    unittest.main()
