#!/usr/bin/env python3
"""Costs of the Python front end: import, a kernel call, te-to-callable. Usage: python_bench.py FOLDER_FOR_JSON"""

import json
import os
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "python"), os.path.join(ROOT, "tests", "python")]


def best(function, seconds=2.0):
    """The shortest time of a call, in seconds."""
    function()
    least, end = float("inf"), time.perf_counter() + seconds
    while time.perf_counter() < end:
        start = time.perf_counter()
        function()
        least = min(least, time.perf_counter() - start)
    return least


def import_time():
    """Seconds of `import numpy, vta` in a fresh interpreter, and those of numpy alone."""
    def run(code):
        program = f"import time; t = time.perf_counter(); {code}; print(time.perf_counter() - t)"
        variables = {**os.environ, "PYTHONPATH": os.path.join(ROOT, "python")}
        return min(float(subprocess.run([sys.executable, "-c", program], env=variables, capture_output=True, text=True,
                                        check=True).stdout) for _ in range(9))

    return run("import numpy, vta"), run("import numpy")


def call_overhead():
    """Seconds that Python adds to a call with three arrays: timed in Python, less the same timed inside C."""
    import numpy as np
    import vta
    from vta import te

    a, b = (te.placeholder((1,), name=n, dtype="int32") for n in "AB")
    c = te.compute((1,), lambda i: a[i] + b[i], name="C")
    kernel = vta.build(te.create_schedule(c.op), [a, b, c], "llvm", name="tiny")["tiny"]
    host = [vta.nd.array(np.zeros(1, "int32")) for _ in range(3)]

    env = vta.get_env()
    import programs

    vadd = vta.build(*programs.vadd(env), "ext_dev", name="vadd")["vadd"]
    dev = vta.ext_dev(0)
    shape = (1, 64, env.BATCH, env.BLOCK_OUT)
    device = [vta.nd.empty(shape, t, dev) for t in ("int32", "int32", "int8")]

    def cost(function, arrays, number):
        def loop():
            for _ in range(number):
                function(*arrays)

        return best(loop) / number - min(function.time(*arrays, number=number, repeat=20))

    return cost(kernel, host, 1000), cost(vadd, device, 100)


def compile_times():
    """Seconds from the first te call to a callable: all of it, and lowering and compiling in the C library alone."""
    import programs
    import vta
    from vta import _lib

    env = vta.get_env()
    inside = [0.0]

    def timed(function):
        def call(*args):
            start = time.perf_counter()
            try:
                return function(*args)
            finally:
                inside[0] += time.perf_counter() - start

        return call

    for name in ("vtac_lower", "vtac_build", "vtac_module_function"):
        setattr(_lib.lib, name, timed(getattr(_lib.lib, name)))
    python = library = float("inf")
    end = time.perf_counter() + 5
    while time.perf_counter() < end:
        inside[0], start = 0.0, time.perf_counter()
        s, args = programs.conv2d(env)
        vta.build(s, args, "ext_dev", name="conv2d")["conv2d"]
        python = min(python, time.perf_counter() - start)
        library = min(library, inside[0])
    return python, library


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "build", "bench")
    os.makedirs(folder, exist_ok=True)
    with_vta, numpy_alone = import_time()
    host, device = call_overhead()
    python, library = compile_times()
    rows = [
        ("import_with_numpy_s", with_vta, 0.3), ("import_numpy_alone_s", numpy_alone, None),
        ("call_overhead_host_s", host, 10e-6), ("call_overhead_device_s", device, 10e-6),
        ("conv2d_te_to_callable_s", python, 2 * library), ("conv2d_inside_the_library_s", library, None),
    ]
    for name, value, goal in rows:
        print(f"{name:32}{value * 1e3:12.4f} ms" + (f"   goal: under {goal * 1e3:.4g} ms" if goal else ""))
    with open(os.path.join(folder, "python.json"), "w", encoding="utf-8") as file:
        json.dump({name: value for name, value, _ in rows}, file, indent=1)


if __name__ == "__main__":
    main()
