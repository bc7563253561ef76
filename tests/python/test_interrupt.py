"""Ctrl-C while the library works: KeyboardInterrupt comes soon, and everything works afterwards."""

import ctypes
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
from vta._lib import release

#: What every program ends with. The signal comes when it is ready; `unfinished` tells whether the work was ended by it.
_END = """
import _thread, ctypes, signal, sys, threading
signal.signal(signal.SIGINT, signal.default_int_handler)  # which it is not where the signal was ignored: behind nohup
ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # ends with the test, whatever becomes of that (PR_SET_PDEATHSIG)
# Python forgets what is raised in its own code around the end of an object: then it is raised once more.
sys.unraisablehook = lambda lost: threading.Timer(0.01, _thread.interrupt_main).start()
{before}
if {sanitized}:
    signal.pthread_sigmask(signal.SIG_BLOCK, {{signal.SIGINT}})
try:
    print("ready", flush=True)
    {long}
except KeyboardInterrupt:
    print("interrupted" if {unfinished} else "interrupted after the end", flush=True)
{after}
"""

#: A run of the accelerator's takes about a millisecond: all of them, minutes.
_RUNS = 200000

_KERNEL = """
import os, sys, time
import numpy as np
import vta
from vta import te
from vta.testing import simulator
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
simulator.clear_stats()
""" + _END

_RIGHT = """
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
""" + _END

#: One call takes minutes. Its sums are computed one by one or, in the loop over rows, by several threads.
_HOST = """
import numpy as np
import vta
from vta import te

n, terms = 1400, 30000
a, b = te.placeholder((n, n), name="A", dtype="float64"), te.placeholder((n, n), name="B", dtype="float64")
k = te.reduce_axis((0, terms), name="k")
c = te.compute((n, n), lambda i, j: te.sum(a[i, k % n] * b[k % n, j], axis=k), name="C")
half = te.compute((n, n), lambda i, j: c[i, j] / 2, name="H")
s = te.create_schedule(half.op)
if {parallel}:
    s[c].compute_at(s[half], s[half].op.axis[0])
    s[half].parallel(s[half].op.axis[0])
kernel = vta.build(s, [a, b, half], "llvm")
x, y, z = (vta.nd.array(np.full((n, n), v)) for v in (1.0, 2.0, 0.0))
small = vta.build(te.create_schedule((d := te.compute((4,), lambda i: a[i, i] + 1)).op), [a, d], "llvm")
four = vta.nd.empty((4,), "float64")
small(x, four)
""" + _END

_FOUR = """
small(x, four)
print("right" if (four.numpy() == 2).all() else "wrong", flush=True)
"""


class Interrupts(unittest.TestCase):
    def check(self, text, long, after=_RIGHT, unfinished="True", **more):
        """Runs a program until it is ready, sends it SIGINT while it works, and reads what it says. What decides is
        whether the work was finished, not how long that took."""
        # The thread sanitizer holds a signal's handler back while its thread makes no call of the C library. With the
        # signal blocked there, the thread that waits for it takes it.
        program = text.format(**{"here": os.path.dirname(os.path.abspath(__file__)), "long": long, "after": after,
                                 "unfinished": unfinished, "before": "", "sanitized": common.THREAD_SANITIZER, **more})
        with subprocess.Popen([sys.executable, "-c", program], env=common.environment(), stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as child:
            self.assertEqual(child.stdout.readline(), "ready\n", child.poll() and child.stderr.read())
            time.sleep(0.3)  # so that it mostly meets the call; before it, it is right, too
            child.send_signal(signal.SIGINT)
            said, errors = child.communicate()
        self.assertEqual((said, child.returncode), ("interrupted\nright\n", 0), errors)

    def test_a_long_run(self):
        # All rounds are one C call: Python itself could not react before the end of it.
        self.check(_KERNEL, f'kernel["kernel"].time(*arrays, number={_RUNS}, repeat=1)',
                   unfinished=f'simulator.all_stats()["runs"] < {_RUNS}')

    def test_calls_in_a_loop(self):
        self.check(_KERNEL, "while True: kernel(*arrays)")

    def test_a_custom_wakeup_descriptor_still_hears(self):
        self.check(_KERNEL, f"""try:
        kernel["kernel"].time(*arrays, number={_RUNS}, repeat=1)
    finally:
        assert os.read(read, 1)[0] == signal.SIGINT""", before="""
read, write = os.pipe()
os.set_blocking(write, False)
signal.set_wakeup_fd(write)
time.sleep(0.15)  # after a tenth of a second the library looks for another's descriptor
""", unfinished=f'simulator.all_stats()["runs"] < {_RUNS}')

    def test_host_code(self):
        for parallel in (False, True):
            self.check(_HOST, "kernel(x, y, z)", _FOUR, "(z.numpy() != terms).any()", parallel=parallel)
        self.check(_HOST, "while True: small(x, four)", _FOUR, parallel=False)
        self.check(_HOST, "small[\"default_function\"].time(x, four, number=10**9, repeat=1)", _FOUR, parallel=False)

    def test_compiling(self):
        for call in ("lower", "build"):
            self.check(_COMPILE, f"while True: vta.{call}(s, args)", "vta.build(s, args)\nprint('right', flush=True)")


class WhileObjectsGo(unittest.TestCase):
    """Python forgets what is raised where an object is given back: an interrupt must not be lost there."""

    def test_an_interrupt_comes_again(self):
        raise_signal = getattr(ctypes.CDLL(None), "raise")

        class Owner:
            pass

        owner = Owner()
        release(owner, raise_signal, int(signal.SIGINT))  # C code that a signal meets
        with self.assertRaises(KeyboardInterrupt):
            del owner
            while True:
                time.sleep(0.01)


_FIRST_CALLS = """
import threading
from vta import _lib

made, both = [], threading.Barrier(2, timeout=20)

class List(_lib._List):
    def __init__(self):
        super().__init__()
        made.append(self)
        both.wait()  # the other thread makes its first list meanwhile

_lib._List = List

def work():
    before = _lib.diagnostics()
    both.wait()
    assert _lib.diagnostics() == before

threads = [threading.Thread(target=work) for _ in range(2)]
for t in threads:
    t.start()
for t in threads:
    t.join()
print(len(made), len({m.handle for m in made}))
"""


class Threads(unittest.TestCase):
    def test_first_calls_of_two_threads(self):
        run = subprocess.run([sys.executable, "-c", _FIRST_CALLS], env=common.environment(), capture_output=True, text=True,
                             check=False)
        self.assertEqual((run.stdout, run.returncode), ("2 2\n", 0), run.stderr)

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
