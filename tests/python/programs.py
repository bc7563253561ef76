"""The recorded programs as Python tensor expressions; run as `programs.py NAME` it builds and runs one, as
`programs.py --each` those that it is asked for.

The descriptions stand in the recordings' README; names begin with the configuration where it is not the default."""

import os
import sys

import numpy as np

import vta
from vta import te, topi

CONFIGS = {
    "": {},
    "2x16_": {"LOG_BATCH": 1, "LOG_ACC_BUFF_SIZE": 18},
    "4x8_": {"LOG_BATCH": 2, "LOG_BLOCK": 3, "LOG_UOP_BUFF_SIZE": 15, "LOG_INP_BUFF_SIZE": 16,
             "LOG_WGT_BUFF_SIZE": 16, "LOG_ACC_BUFF_SIZE": 18},
    "1x32_": {"LOG_BLOCK": 5},
}


def _dma(s, tensor, axis=0):
    s[tensor].pragma(s[tensor].op.axis[axis], vta.get_env().dma_copy)


def _alu(s, tensor):
    s[tensor].pragma(s[tensor].op.axis[0], vta.get_env().alu)


def _copy(shape, tensor, name):
    return te.compute(shape, lambda *i: tensor(*i), name)


def vadd(env):
    """The tutorials' vector add."""
    shape = (1, 64, env.BATCH, env.BLOCK_OUT)
    a = te.placeholder(shape, name="A", dtype=env.acc_dtype)
    b = te.placeholder(shape, name="B", dtype=env.acc_dtype)
    a_buf, b_buf = _copy(shape, a, "A_buf"), _copy(shape, b, "B_buf")
    c_buf = te.compute(shape, lambda *i: a_buf(*i).astype(env.acc_dtype) + b_buf(*i).astype(env.acc_dtype), "C_buf")
    c = te.compute(shape, lambda *i: c_buf(*i).astype(env.inp_dtype), "C")
    s = te.create_schedule(c.op)
    for t in (a_buf, b_buf, c_buf):
        s[t].set_scope(env.acc_scope)
    for t in (a_buf, b_buf, c):
        _dma(s, t)
    _alu(s, c_buf)
    return s, [a, b, c]


def matmul(env):
    """The tutorials' simple matrix multiply."""
    m, n, o = 16, 16, 1
    a = te.placeholder((o, n, env.BATCH, env.BLOCK_IN), name="A", dtype=env.inp_dtype)
    b = te.placeholder((m, n, env.BLOCK_OUT, env.BLOCK_IN), name="B", dtype=env.wgt_dtype)
    a_buf, b_buf = _copy(a.shape, a, "A_buf"), _copy(b.shape, b, "B_buf")
    ko = te.reduce_axis((0, n), name="ko")
    ki = te.reduce_axis((0, env.BLOCK_IN), name="ki")
    c_buf = te.compute(
        (o, m, env.BATCH, env.BLOCK_OUT),
        lambda bo, co, bi, ci: te.sum(
            a_buf[bo, ko, bi, ki].astype(env.acc_dtype) * b_buf[co, ko, ci, ki].astype(env.acc_dtype), axis=[ko, ki]),
        name="C_buf")
    c = te.compute(c_buf.shape, lambda *i: c_buf(*i).astype(env.inp_dtype), name="C")
    s = te.create_schedule(c.op)
    s[a_buf].set_scope(env.inp_scope)
    s[b_buf].set_scope(env.wgt_scope)
    s[c_buf].set_scope(env.acc_scope)
    s[a_buf].compute_at(s[c_buf], ko)
    s[b_buf].compute_at(s[c_buf], ko)
    for t in (a_buf, b_buf, c):
        _dma(s, t)
    s[c_buf].reorder(ko, *s[c_buf].op.axis, ki)
    s[c_buf].tensorize(s[c_buf].op.axis[2], env.gemm)
    return s, [a, b, c]


def _requantize(env, acc, shape, shift):
    """Shift, clip to [0, 127], narrow: (shr, max, min, res)."""
    inp_max = (1 << (env.INP_WIDTH - 1)) - 1
    shr = te.compute(shape, lambda *i: acc(*i) >> shift, name="res_shr")
    top = te.compute(shape, lambda *i: te.max(shr(*i), 0), "res_max")
    low = te.compute(shape, lambda *i: te.min(top(*i), inp_max), "res_min")
    return shr, top, low, te.compute(shape, lambda *i: low(*i).astype(env.inp_dtype), name="res")


def blocked(env):
    """The blocked matrix multiply of the notes."""
    channels = 1024
    data_shape = (1, channels // env.BLOCK_IN, env.BATCH, env.BLOCK_IN)
    weight_shape = (channels // env.BLOCK_OUT, channels // env.BLOCK_IN, env.BLOCK_OUT, env.BLOCK_IN)
    out_shape = (1, channels // env.BLOCK_OUT, env.BATCH, env.BLOCK_OUT)
    ic = te.reduce_axis((0, channels // env.BLOCK_IN), name="ic")
    ic_tns = te.reduce_axis((0, env.BLOCK_IN), name="ic_tns")
    data = te.placeholder(data_shape, name="data", dtype=env.inp_dtype)
    weight = te.placeholder(weight_shape, name="weight", dtype=env.wgt_dtype)
    data_buf, weight_buf = _copy(data_shape, data, "data_buf"), _copy(weight_shape, weight, "weight_buf")
    gemm = te.compute(
        out_shape,
        lambda bo, co, bi, ci: te.sum(
            data_buf[bo, ic, bi, ic_tns].astype(env.acc_dtype) * weight_buf[co, ic, ci, ic_tns].astype(env.acc_dtype),
            axis=[ic, ic_tns]),
        name="res_gem")
    shr, top, low, res = _requantize(env, gemm, out_shape, env.INP_WIDTH)
    s = te.create_schedule(res.op)
    b, oc, b_tns, oc_tns = s[res].op.axis
    b_out, b_inn = s[res].split(b, 1)
    oc_out, oc_inn = s[res].split(oc, 256 // env.BLOCK_OUT)
    s[res].reorder(b_out, oc_out, b_inn, oc_inn)
    for t in (gemm, shr, top, low):
        s[t].compute_at(s[res], oc_out)
    b_inn, oc_inn, b_tns, oc_tns = s[gemm].op.axis
    ic_out, ic_inn = s[gemm].split(ic, 256 // env.BLOCK_IN)
    s[gemm].reorder(ic_out, b_inn, oc_inn, ic_inn, b_tns, oc_tns, ic_tns)
    s[data_buf].set_scope(env.inp_scope)
    s[weight_buf].set_scope(env.wgt_scope)
    for t in (gemm, shr, top, low):
        s[t].set_scope(env.acc_scope)
    s[data_buf].compute_at(s[gemm], ic_out)
    s[weight_buf].compute_at(s[gemm], ic_out)
    _dma(s, data_buf)
    _dma(s, weight_buf)
    _dma(s, res, 2)
    s[gemm].tensorize(b_tns, env.gemm)
    for t in (shr, top, low):
        _alu(s, t)
    return s, [data, weight, res]


def conv2d(env, threads=True):
    """The tutorials' 2D convolution."""
    batch, size, channels, kernel_size, pad = env.BATCH, 14, 256, 3, 1
    data_shape = (batch // env.BATCH, channels // env.BLOCK_IN, size, size, env.BATCH, env.BLOCK_IN)
    kernel_shape = (channels // env.BLOCK_OUT, channels // env.BLOCK_IN, kernel_size, kernel_size, env.BLOCK_OUT,
                    env.BLOCK_IN)
    out_shape = (batch // env.BATCH, channels // env.BLOCK_OUT, size, size, env.BATCH, env.BLOCK_OUT)
    dy = te.reduce_axis((0, kernel_size), name="dy")
    dx = te.reduce_axis((0, kernel_size), name="dx")
    ic = te.reduce_axis((0, channels // env.BLOCK_IN), name="ic")
    ic_tns = te.reduce_axis((0, env.BLOCK_IN), name="ic_tns")
    data = te.placeholder(data_shape, name="data", dtype=env.inp_dtype)
    kernel = te.placeholder(kernel_shape, name="kernel", dtype=env.wgt_dtype)
    data_buf = topi.nn.pad(data, [0, 0, pad, pad, 0, 0], name="data_buf")
    kernel_buf = _copy(kernel_shape, kernel, "kernel_buf")
    conv = te.compute(
        out_shape,
        lambda bo, co, i, j, bi, ci: te.sum(
            data_buf[bo, ic, i + dy, j + dx, bi, ic_tns].astype(env.acc_dtype)
            * kernel_buf[co, ic, dy, dx, ci, ic_tns].astype(env.acc_dtype),
            axis=[ic, dy, dx, ic_tns]),
        name="res_conv")
    shr, top, low, res = _requantize(env, conv, out_shape, 8)
    s = te.create_schedule(res.op)
    b, oc, y, x, b_tns, oc_tns = s[res].op.axis
    b_out, b_inn = s[res].split(b, factor=1)
    oc_out, oc_inn = s[res].split(oc, factor=128 // env.BLOCK_OUT)
    y_out, y_inn = s[res].split(y, factor=7)
    x_out, x_inn = s[res].split(x, factor=14)
    s[res].reorder(b_out, oc_out, y_out, x_out, b_inn, oc_inn, y_inn, x_inn, b_tns, oc_tns)
    for t in (conv, shr, top, low):
        s[t].compute_at(s[res], x_out)
    b_inn, oc_inn, y_inn, x_inn, b_tns, oc_tns = s[conv].op.axis
    ic_out, ic_inn = s[conv].split(ic, factor=16 // env.BLOCK_IN)
    s[conv].reorder(ic_out, b_inn, oc_inn, y_inn, ic_inn, dy, dx, x_inn, b_tns, oc_tns, ic_tns)
    if threads:
        _, tx = s[res].split(oc_out, factor=2)
        s[res].reorder(tx, b_out)
        s[res].bind(tx, te.thread_axis("cthread"))
    s[data_buf].set_scope(env.inp_scope)
    s[kernel_buf].set_scope(env.wgt_scope)
    for t in (conv, shr, low, top):
        s[t].set_scope(env.acc_scope)
    s[data_buf].compute_at(s[conv], ic_out)
    s[kernel_buf].compute_at(s[conv], ic_out)
    _dma(s, data_buf)
    _dma(s, kernel_buf)
    _dma(s, res, 4)
    s[conv].tensorize(b_tns, env.gemm)
    for t in (shr, low, top):
        _alu(s, t)
    return s, [data, kernel, res]


def conv2d_novt(env):
    """The same without virtual threads."""
    return conv2d(env, threads=False)


def _through_acc(env, shape, stages, inputs=1):
    """Inputs of acc type copied into acc, then element-wise stages there, then narrowed out."""
    names = ["a", "b"]
    args = [te.placeholder(shape, name=names[i], dtype=env.acc_dtype) for i in range(inputs)]
    bufs = [_copy(shape, x, f"{x.name}_buf") for x in args]
    made, last = [], bufs
    for name, function in stages:
        made.append(te.compute(shape, lambda *i, f=function, t=tuple(last): f(*[x(*i) for x in t]), name,
                               varargs_names=[f"i{d}" for d in range(len(shape))]))
        last = [made[-1]]
    res = te.compute(shape, lambda *i: made[-1](*i).astype(env.inp_dtype), "res")
    s = te.create_schedule(res.op)
    for t in bufs + made:
        s[t].set_scope(env.acc_scope)
    for t in bufs + [res]:
        _dma(s, t)
    for t in made:
        _alu(s, t)
    return s, args + [res]


def _alu_program(name, function, inputs=1):
    def program(env):
        return _through_acc(env, (8, 8, env.BATCH, env.BLOCK_OUT), [(name, function)], inputs)

    return program


def relu(env):
    """max 0, then min 127."""
    return _through_acc(env, (8, 10, env.BATCH, env.BLOCK_OUT),
                        [("max_buf", lambda x: te.max(x, 0)), ("min_buf", lambda x: te.min(x, 127))])


def shift_scale(env):
    """+ 5, then >> 3."""
    return _through_acc(env, (2, 8, env.BATCH, env.BLOCK_OUT),
                        [("res_shift", lambda x: x + 5), ("res_scale", lambda x: x >> 3)])


def _padded(before, after):
    def program(env):
        shape = (3, 5, env.BATCH, env.BLOCK_OUT) if before or after else (6, 6, env.BATCH, env.BLOCK_OUT)
        x = te.placeholder(shape, name="x", dtype=env.acc_dtype)
        x_buf = topi.nn.pad(x, before, after, name="x_buf") if before or after else _copy(shape, x, "x_buf")
        y_buf = te.compute(x_buf.shape, lambda *i: x_buf(*i) >> 0, "y_buf")
        y = te.compute(x_buf.shape, lambda *i: y_buf(*i).astype(env.inp_dtype), "y")
        s = te.create_schedule(y.op)
        s[x_buf].set_scope(env.acc_scope)
        s[y_buf].set_scope(env.acc_scope)
        _dma(s, x_buf)
        _alu(s, y_buf)
        _dma(s, y)
        return s, [x, y]

    return program


def gemm_default(env, threads=False):
    """A chain of GEMM and ALU stages."""
    x = te.placeholder((4, 1, env.BATCH, env.BLOCK_IN), name="x", dtype=env.inp_dtype)
    w = te.placeholder((4, 1, env.BLOCK_OUT, env.BLOCK_IN), name="w", dtype=env.wgt_dtype)
    shape = (4, 4, env.BATCH, env.BLOCK_OUT)
    return _gemm_chain(env, x, w, shape, threads)


def _gemm_chain(env, x, w, shape, threads):
    x_buf, w_buf = _copy(x.shape, x, "x_buf"), _copy(w.shape, w, "w_buf")
    ko = te.reduce_axis((0, 1), name="ko")
    ki = te.reduce_axis((0, env.BLOCK_IN), name="ki")
    gem = te.compute(
        shape,
        lambda bo, co, bi, ci: te.sum(
            x_buf[bo, ko, bi, ki].astype(env.acc_dtype) * w_buf[co, ko, ci, ki].astype(env.acc_dtype), axis=[ko, ki]),
        name="y_gem")
    shf = te.compute(shape, lambda *i: gem(*i) >> 8, "y_shf")
    top = te.compute(shape, lambda *i: te.max(shf(*i), 0), "y_max")
    low = te.compute(shape, lambda *i: te.min(top(*i), (1 << (env.INP_WIDTH - 1)) - 1), "y_min")
    y = te.compute(shape, lambda *i: low(*i).astype(env.inp_dtype), "y")
    s = te.create_schedule(y.op)
    s[x_buf].set_scope(env.inp_scope)
    s[w_buf].set_scope(env.wgt_scope)
    for t in (gem, shf, top, low):
        s[t].set_scope(env.acc_scope)
    if threads:
        outer, inner = s[y].split(s[y].op.axis[0], nparts=2)
        s[y].reorder(outer, inner)
        s[y].bind(outer, te.thread_axis("cthread"))
        for t in (gem, shf, top, low):
            s[t].compute_at(s[y], outer)
        s[y].pragma(inner, env.dma_copy)
    else:
        _dma(s, y)
    s[x_buf].compute_at(s[gem], ko)
    s[w_buf].compute_at(s[gem], ko)
    _dma(s, x_buf)
    _dma(s, w_buf)
    s[gem].reorder(ko, *s[gem].op.axis, ki)
    s[gem].tensorize(s[gem].op.axis[2], env.gemm)
    for t in (shf, top, low):
        _alu(s, t)
    return s, [x, w, y]


def gemm_smt(env):
    """The chain with two virtual threads."""
    return gemm_default(env, threads=True)


PROGRAMS = {
    "vadd": vadd, "matmul": matmul, "blocked": blocked, "conv2d": conv2d, "conv2d_novt": conv2d_novt,
    "save_load": _padded(None, None),
    "pad_y0": _padded([2, 0, 0, 0], [0, 0, 0, 0]), "pad_x0": _padded([0, 2, 0, 0], [0, 0, 0, 0]),
    "pad_y1": _padded([0, 0, 0, 0], [2, 0, 0, 0]), "pad_x1": _padded([0, 0, 0, 0], [0, 2, 0, 0]),
    "pad_all": _padded([1, 1, 0, 0], [1, 1, 0, 0]),
    "gemm_default": gemm_default, "gemm_smt": gemm_smt,
    "alu_shl_imm": _alu_program("res_buf", lambda a: a << 3), "alu_shr_imm": _alu_program("res_buf", lambda a: a >> 2),
    "alu_max_imm": _alu_program("res_buf", lambda a: te.max(a, 5)),
    "alu_add_imm": _alu_program("res_buf", lambda a: a + 7),
    "alu_max": _alu_program("res_buf", te.max, 2), "alu_add": _alu_program("res_buf", lambda a, b: a + b, 2),
    "relu": relu, "shift_scale": shift_scale,
}


def split_name(name):
    """(program, configuration) of a recording's name."""
    for prefix, config in CONFIGS.items():
        if prefix and name.startswith(prefix):
            return PROGRAMS[name[len(prefix):]], config
    return PROGRAMS[name], CONFIGS[""]


def run(name):
    """Builds and runs one program once on random inputs; returns whether the result is the computation's."""
    program, config = split_name(name)
    with vta.Environment(config) as env:
        s, args = program(env)
        with vta.build_config(disabled_pass={"tir.CommonSubexprElimTIR"}):
            kernel = vta.build(s, args, "ext_dev", name="kernel")
        rng = np.random.default_rng(1)
        dev = vta.ext_dev(0)
        inputs = {t: rng.integers(-128, 128, size=t.shape).astype(t.dtype) for t in args[:-1]}
        arrays = [vta.nd.array(a, dev) for a in inputs.values()]
        out = vta.nd.empty(args[-1].shape, args[-1].dtype, dev)
        kernel(*arrays, out)
        return bool((out.numpy() == te.evaluate(args[-1], inputs)).all())


def each():
    """Runs the programs that are asked for, each in a child of this process, which has imported and loaded all: lines
    "NAME FILE" come in, the child's state goes out. Runtime calls go to FILE, where they are recorded, errors to FILE.errors."""
    vta.build(*add_one(), "llvm")
    for line in sys.stdin:
        name, trace = line.split()
        child = os.fork()
        if child == 0:
            os.environ["VTA_TRACE"] = trace
            os.dup2(os.open(f"{trace}.errors", os.O_WRONLY | os.O_CREAT, 0o600), 2)
            sys.exit(0 if run(name) else 1)
        print(os.waitpid(child, 0)[1], flush=True)


def add_one():
    """A schedule for the host and its arguments."""
    a = te.placeholder((1,), name="A", dtype="int32")
    b = te.compute((1,), lambda i: a[i] + 1, "B")
    return te.create_schedule(b.op), [a, b]


if __name__ == "__main__":
    if sys.argv[1] == "--each":
        each()
    else:
        sys.exit(0 if run(sys.argv[1]) else 1)
