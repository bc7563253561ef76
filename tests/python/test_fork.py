"""os.fork while other threads compile and run: the child does both, too."""

import subprocess
import sys
import unittest

import common

PROGRAM = """
import os, signal, threading
import numpy as np
import vta
from vta import te

def everything(add):
    env = vta.get_env()
    shape = (1, 4, env.BATCH, env.BLOCK_OUT)
    a = te.placeholder(shape, env.acc_dtype, "a")
    x = te.compute(shape, lambda *i: a(*i), "x")
    y = te.compute(shape, lambda *i: x(*i) + add, "y")
    b = te.compute(shape, lambda *i: y(*i).astype(env.inp_dtype), "b")
    s = te.create_schedule(b.op)
    for t in (x, y):
        s[t].set_scope(env.acc_scope)
    for t, pragma in ((x, env.dma_copy), (y, env.alu), (b, env.dma_copy)):
        s[t].pragma(t.op.axis[0], pragma)
    kernel = vta.build(s, [a, b])
    given, got = vta.nd.array(np.ones(shape, "int32"), vta.ext_dev()), vta.nd.empty(shape, "int8", vta.ext_dev())
    kernel(given, got)
    assert (got.numpy() == 1 + add).all()

stop = threading.Event()

def work():
    while not stop.is_set():
        everything(5)

everything(1)
threads = [threading.Thread(target=work) for _ in range(3)]
for t in threads:
    t.start()
for n in range(8):
    pid = os.fork()
    if not pid:
        signal.alarm(100)
        code = 1
        try:
            everything(n)
            code = 0
        finally:
            os._exit(code)
    everything(n)
    assert os.waitpid(pid, 0)[1] == 0, n
stop.set()
for t in threads:
    t.join()
print("fine")
"""


class Fork(unittest.TestCase):
    def test_children_among_threads(self):
        done = subprocess.run([sys.executable, "-W", "ignore", "-c", PROGRAM], env=common.environment(), capture_output=True,
                              text=True, timeout=500)
        self.assertEqual((done.stdout, done.stderr), ("fine\n", ""))


if __name__ == "__main__":
    unittest.main()
