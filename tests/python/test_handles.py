"""Every public C call of the compiler with an object of every wrong kind behind every handle: an error, never a crash.

The calls are read from the headers, so that a new one is tried too. Each is first made with right arguments and must
succeed, so that what it refuses afterwards is the handle."""

import ctypes
import faulthandler
import os
import re
import unittest

import common
from vta import _bindings
from vta._lib import lib

HEADERS = ("te.h", "te_stmt.h", "ir.h", "kernel.h", "build.h")
KINDS = ("te_context", "te_expr", "te_axis", "te_tensor", "te_schedule", "te_stage", "te_group", "te_intrin", "te_reducer", "te_buffer", "vtac_stmt", "vtac_func",
         "vtac_kernel", "vtac_module")
KERNEL = b"kernel k\ntarget llvm\ninput a: int32[8]\noutput b like a = a[...] + 1\n"
faulthandler.enable()


def prototypes():
    """(name, result, [(type, stars, name, is array)]) of every function of the headers."""
    for header in HEADERS:
        with open(os.path.join(common.ROOT, "include", "vta", header), encoding="utf-8") as file:
            text = re.sub(r"/\*.*?\*/", " ", file.read(), flags=re.S)
        for result, name, parameters in re.findall(r"VTA_API ([\w *]+?)\s*\b(\w+)\(((?:[^()]|\([^()]*\))*)\);", text):
            out = []
            for p in re.split(r",\s*(?![^()]*\))", " ".join(parameters.split())):
                if p == "void":
                    continue
                if "(" in p:
                    out.append(("callback", 0, re.search(r"\(\*(\w+)\)", p).group(1), False))
                    continue
                kind, name_of, array = re.fullmatch(r"(.*?)(\w+)(\[\d*\])?", p).groups()
                word = kind.replace("const", "").replace("*", "").split()[0]
                out.append((word, kind.count("*"), name_of, array is not None))
            yield name, " ".join(result.split()), out


class Fixture:
    """One object of every kind, and what else the calls take."""

    def __init__(self):
        self.context = c = lib.te_context_create(None, None)
        self.scalar = lib.te_scalar(c, b"x", b"int32")
        self.expr = lib.te_add(c, self.scalar, lib.te_int(c, None, 1))
        self.condition = lib.te_apply(c, _bindings.TE_LT, 2, array(self.scalar, self.expr))
        shape = (ctypes.c_int64 * 2)(8, 8)
        self.input = lib.te_placeholder(c, b"a", b"int32", 2, shape)
        self.middle = lib.te_compute(c, b"m", 2, shape, None, b"a[i0, i1] + 1")
        self.tensor = lib.te_compute(c, b"o", 2, shape, None, b"m[i0, i1] + 1")
        self.schedule = lib.te_schedule_create(c, 1, array(self.tensor))
        self.stage = lib.te_schedule_stage(self.schedule, self.tensor)
        self.other = lib.te_schedule_stage(self.schedule, self.middle)
        self.axis, self.inner = lib.te_stage_leaf(self.stage, 0), lib.te_stage_leaf(self.stage, 1)
        self.data = lib.te_axis_create(c, b"d", 4)
        self.reduce = lib.te_reduce_axis(c, b"r", 0, 4)
        self.thread = lib.te_thread_axis(c, b"cthread")
        row = lib.te_define(c, b"row[j: 8] = int32(7)")
        self.intrin = lib.te_intrin_create(c, b"fill", row)
        self.row = row
        self.number = lib.te_int(c, None, 3)
        self.left, self.right = (lib.te_operand(c, name, b"int32") for name in (b"left", b"right"))
        self.reducer = lib.te_reducer_create(c, 1, array(self.left), array(self.right), array(self.left), array(self.number))
        self.sums = lib.te_define(c, b"sums[q: 8] = sum[f: 4](a[q, f])")
        self.sums_schedule = lib.te_schedule_create(c, 1, array(self.sums))
        self.first, self.rows = (lib.te_compute(c, b"rows", 2, (ctypes.c_int64 * 2)(n, 8), None, b"i0 + i1") for n in (1, 8))
        scanned = ctypes.c_void_p()
        assert not lib.te_scan(c, b"scanned", None, 1, array(self.first), array(self.rows), array(self.input), ctypes.byref(scanned))
        self.scanned = scanned.value
        marked = lib.te_schedule_create(c, 1, array(self.tensor))
        self.marked = lib.te_schedule_stage(marked, self.tensor)
        self.marked_axis = lib.te_stage_leaf(self.marked, 0)
        assert not lib.te_pragma(self.marked, self.marked_axis, b"note", None)
        attached = lib.te_schedule_create(c, 1, array(self.tensor))
        self.attached, top = (lib.te_schedule_stage(attached, t) for t in (self.middle, self.tensor))
        assert not lib.te_compute_at(self.attached, top, lib.te_stage_leaf(top, 0))
        self.grouped = lib.te_schedule_create(c, 1, array(self.tensor))
        self.around, self.group = (lib.te_group_create(self.grouped, 1, array(self.middle), 1, array(self.input), False) for _ in range(2))
        self.grouped_stage, self.top = (lib.te_schedule_stage(self.grouped, t) for t in (self.middle, self.tensor))
        self.top_axis = lib.te_stage_leaf(self.top, 0)
        assert not lib.te_group_compute_at(self.around, self.top, self.top_axis)
        assert not lib.te_split(self.marked, lib.te_stage_leaf(self.marked, 1), 2, None, None)
        self.sums_axis = lib.te_tensor_reduce_axis(self.sums, 0)
        self.call = lib.te_call(c, b"int32", b"nothing", 0, array())
        self.real = lib.te_placeholder(c, b"real", b"float32", 2, shape)
        self.square = lib.te_define(c, b"square[p: 8, q: 8] = real[p, q] * real[p, q]")
        sevens = lib.te_define(c, b"sevens[p: 8, q: 8] = int32(7)")
        self.filled = lib.te_schedule_stage(lib.te_schedule_create(c, 1, array(sevens)), sevens)
        assert not lib.te_tensorize(self.filled, lib.te_stage_leaf(self.filled, 1), self.intrin)
        self.buffer = lib.te_buffer_create(c, b"rows", b"int32", 1, array(lib.te_int(c, None, 8)), None)
        self.whole = lib.te_buffer_create(c, b"whole", b"int32", 2, array(*[lib.te_int(c, None, 8)] * 2), None)
        self.stmt = lib.te_stmt_store(c, self.buffer, self.number, 1, array(self.number))
        options = _bindings.te_buffer_options(stride_count=1)
        distances = array(self.number)
        options.strides = ctypes.addressof(distances)
        self.strided = lib.te_buffer_create(c, b"strided", b"int32", 1, array(self.number), ctypes.byref(options))
        self.nothing = lib.te_stmt_evaluate(c, self.number)
        self.index, self.text = lib.te_variable(c, b"n", b"int32"), lib.te_string(c, b"words")
        self.made = ctypes.c_void_p()
        assert not lib.te_extern(c, b"made", None, 0, None, None, 1, array(self.buffer), self.stmt, ctypes.byref(self.made))
        self.made = self.made.value
        self.diag = lib.vta_diag_create(None)
        self.kernel = ctypes.c_void_p()
        assert not lib.vtac_kernel_parse(KERNEL, len(KERNEL), b"k", None, None, None, self.diag,
                                         ctypes.byref(self.kernel))
        self.kernel = self.kernel.value
        func, module = ctypes.c_void_p(), ctypes.c_void_p()
        assert not lib.vtac_kernel_lower(self.kernel, None, ctypes.byref(func))
        self.func = func.value
        one = _bindings.vtac_build_func()
        one.func = self.func
        options = _bindings.vtac_build_options()
        options.target = b"llvm"
        assert not lib.vtac_build(1, ctypes.byref(one), ctypes.byref(options), self.diag, ctypes.byref(module))
        self.module = module.value
        self.function = ctypes.c_void_p()
        assert not lib.vtac_module_function(self.module, b"k", self.diag, ctypes.byref(self.function))
        self.objects = {kind: getattr(self, kind.split("_")[1]) for kind in KINDS}
        self.keep = []

    def close(self, without=()):
        for destroy, handle in ((lib.vtac_module_destroy, self.module), (lib.vtac_kernel_destroy, self.kernel),
                                (lib.te_context_destroy, self.context), (lib.vta_diag_destroy, self.diag)):
            if destroy.__name__ not in without:
                destroy(handle)


def array(*handles):
    return (ctypes.c_void_p * max(1, len(handles)))(*handles)


#: Right handles where the first of a kind will not do: (function, parameter) -> attribute of the fixture.
SPECIAL = {
    ("te_compute_axes", "axes"): "data", ("te_reduce", "axes"): "reduce", ("te_reduce", "value"): "expr",
    ("te_reduce_from", "axes"): "reduce", ("te_reduce_from", "value"): "expr", ("te_reduce_from", "start"): "expr",
    ("te_reducer_create", "lhs"): "left", ("te_reducer_create", "rhs"): "right", ("te_reducer_create", "results"): "left",
    ("te_reducer_create", "identities"): "number", ("te_reduce_with", "axes"): "reduce",
    ("te_reduce_with", "condition"): "condition", ("te_rfactor", "s"): "sums_schedule", ("te_rfactor", "t"): "sums",
    ("te_rfactor", "axis"): "sums_axis", ("te_stage_attached_to", "st"): "attached",
    ("te_gradient", "output"): "square", ("te_gradient", "inputs"): "real", ("te_gradient", "head"): "real",
    ("te_tensorized", "st"): "filled",
    ("te_group_create", "outputs"): "middle", ("te_group_create", "inputs"): "input", ("te_schedule_group_at", "s"): "grouped",
    ("te_stage_group", "st"): "grouped_stage", ("te_group_compute_at", "g"): "around", ("te_group_compute_at", "parent"): "top",
    ("te_group_compute_at", "axis"): "top_axis", ("te_group_attached_to", "g"): "around", ("te_group_attached_at", "g"): "around",
    ("te_stage_attached_at", "st"): "attached", ("te_stage_relation", "st"): "marked", ("te_stage_marks", "st"): "marked",
    ("te_stage_marks", "axis"): "marked_axis",
    ("te_stage_pragma", "st"): "marked", ("te_stage_pragma", "axis"): "marked_axis",
    ("te_scan", "inits"): "first", ("te_scan", "updates"): "rows", ("te_scan", "states"): "input",
    ("te_scan_body_tensor", "t"): "scanned", ("te_scan_column", "t"): "scanned", ("te_scan_column_apart", "t"): "scanned",
    ("te_bind", "thread"): "thread", ("te_compute_at", "st"): "other", ("te_compute_at", "parent"): "stage",
    ("te_compute_inline", "st"): "other", ("te_compute_root", "st"): "other", ("te_set_scope", "st"): "other",
    ("te_cache_read", "t"): "middle", ("te_cache_read", "readers"): "tensor", ("te_schedule_create", "outputs"): "tensor",
    ("te_intrin_create", "what"): "row", ("te_intrin_buffer", "operand"): "row", ("te_intrin_access", "operand"): "row",
    ("te_intrin_strides", "operand"): "row",
    ("te_intrin_attr", "axis"): "thread", ("te_intrin_emit", "call"): "call",
    ("te_tile", "y"): "inner", ("te_evaluate", "inputs"): "input",
    ("te_buffer_stride", "b"): "strided",
    ("te_stmt_for", "var"): "index", ("te_stmt_let", "var"): "index", ("te_stmt_if", "condition"): "condition",
    ("te_stmt_assert", "condition"): "condition", ("te_stmt_assert", "message"): "text", ("te_extern", "inputs"): "input",
    ("te_extern", "in_buffers"): "whole", ("te_tensor_stmt", "t"): "made", ("te_intrin_operand", "operand"): "row",
    ("te_intrin_bind", "operand"): "row", ("te_intrin_emit_stmt", "stmt"): "nothing",
    ("te_expr_int", "e"): "number", ("te_substitute", "vars"): "scalar", ("te_load", "indices"): "expr",
    ("te_axis_create_expr", "extent"): "scalar", ("te_reduce_axis_expr", "begin"): "scalar",
    ("te_reduce_axis_expr", "extent"): "scalar", ("te_placeholder_expr", "shape"): "scalar",
}
TEXTS = {
    "dtype": b"int32", "scope": b"local", "tag": b"cthread", "access": b"r", "key": b"note", "pragma": b"note",
    "text": b"x + 1", "value": b"text", "definition": b"d[i: 4] = i", "body": b"i0", "path": b"/dev/null",
}
NUMBERS = {"op": _bindings.TE_NEG, "factor": 2, "nparts": 2, "x_factor": 2, "y_factor": 2, "extent": 4, "body_count": 1,
           "ndim": 1, "n": 1, ("te_split_sizes", "n"): 4, "axis_count": 1, "value": 1, "begin": 0, "lanes": 4, "input_count": 1, "output_count": 1, "device_type": 1, "offset_factor": 1}
NAMES = {"te_stage_axis_named": b"i0", "te_find_tensor": b"a", "te_find_reduce_axis": b"r", "vtac_module_function": b"k"}
#: What may be NULL by contract.
OPTIONAL = {("te_pragma", "value"), ("te_reduce_from", "start"), ("te_reduce_with", "starts"),
            ("te_reduce_with", "condition"), ("te_tensorize", "intrin"), ("te_cache_read", "readers"), ("te_fuse", "axes"),
            ("te_stmt_if", "otherwise"), ("te_buffer_access", "offset"), ("te_gradient", "head")}
#: Calls whose arguments need more than one word here; made by hand below.
BY_HAND = {"vtac_lower", "vtac_func_create", "te_compute_intrin", "vtac_build", "vtac_emit", "te_prim_func_text", "te_evaluate", "te_evaluate_field",
           "vtac_check", "vtac_prove", "vtac_prove_program", "te_load",
           "vtac_kernel_load", "vtac_kernel_parse", "vtac_trace_begin", "te_pad", "te_context_create"}


#: Types of results, and calls, for which nothing (0, NULL, not found) is an answer.
MAY_BE_NOTHING = {"void", "bool", "double", "int64_t", "size_t", "uint32_t", "te_axis_kind", "te_attachment",
                  "te_tensor_reduce_axis", "te_tensor_tag", "te_axis_extent", "vtac_kernel_disabled_passes",
                  "te_context_status", "te_stage_scope", "te_tensor_dim", "te_expr_tensor", "te_expr_axis",
                  "te_expr_name", "te_bounds_range"}


def argument(f, function, parameter, wrong=None):
    """The value of a parameter; `wrong` replaces the handle."""
    word, stars, name, is_array = parameter
    if word in KINDS and stars == 1 and not name.startswith("out_"):
        handle = getattr(f, SPECIAL[function, name]) if (function, name) in SPECIAL else f.objects[word]
        handle = handle if wrong is None else wrong
        if is_array:
            f.keep.append(array(handle))
            return f.keep[-1]
        return handle
    if name.startswith("out_"):
        f.keep.append((ctypes.c_void_p * 8)())
        return f.keep[-1]
    if word == "char" and stars:
        return NAMES.get(function, b"name") if name == "name" else TEXTS.get(name)
    if word == "vta_diag":
        return f.diag
    if is_array and word == "int64_t":
        f.keep.append((ctypes.c_int64 * 4)(2, 2, 2, 2))
        return f.keep[-1]
    if stars:
        return None
    return NUMBERS.get((function, name), NUMBERS.get(name, 0))


def failed(result, value):
    """Whether a returned value says that the call was refused."""
    if result == "vta_status":
        return value != 0
    return not value or value in (-1, b"")


class Handles(unittest.TestCase):
    def test_every_call_with_every_wrong_kind(self):
        calls = tried = 0
        for function, result, parameters in prototypes():
            handles = [p for p in parameters if p[0] in KINDS and p[1] == 1 and not p[2].startswith("out_")]
            if not handles or function in BY_HAND:
                continue
            calls += 1
            c_function = getattr(lib, function)
            f = Fixture()
            value = c_function(*[argument(f, function, p) for p in parameters])
            may_be_nothing = result in MAY_BE_NOTHING or function in MAY_BE_NOTHING
            if not may_be_nothing:
                words = lib.vta_diag_text(lib.te_context_diag(f.context))
                self.assertFalse(failed(result, value), f"{function} with right arguments: {words}")
            f.close({function})
            for p in handles:
                f = Fixture()
                wrong_ones = [f.objects[k] for k in KINDS if k != p[0]]
                if (function, p[2]) not in OPTIONAL:
                    wrong_ones.append(0)
                for wrong in wrong_ones:
                    tried += 1
                    value = c_function(*[argument(f, function, q, wrong if q is p else None) for q in parameters])
                    if result not in ("void", "te_axis_kind", "te_attachment"):
                        self.assertTrue(failed(result, value), f"{function} takes a wrong {p[2]}")
                    lib.vta_diag_clear(lib.te_context_diag(f.context))
                f.close()
        self.assertGreater(calls, 85)
        self.assertGreater(tried, 1000)

    def test_lists_and_structures(self):
        f = Fixture()
        for kind in KINDS:
            wrong = f.objects[kind]
            out, size = ctypes.c_void_p(), ctypes.c_size_t()
            if kind != "te_tensor":
                arg = _bindings.vtac_arg()
                arg.tensor = wrong
                self.assertTrue(lib.vtac_lower(f.schedule, 1, ctypes.byref(arg), b"m", None, ctypes.byref(out)))
                lib.vta_diag_clear(lib.te_context_diag(f.context))
                self.assertFalse(lib.te_prim_func_text(f.context, 1, array(wrong), b"m"))
                lib.vta_diag_clear(lib.te_context_diag(f.context))
                room = (ctypes.c_int32 * 64)()
                data = (ctypes.c_void_p * 1)(ctypes.addressof(room))
                self.assertTrue(lib.te_evaluate(f.context, wrong, 1, array(f.input), data, room))
                self.assertTrue(lib.te_evaluate(f.context, f.tensor, 1, array(wrong), data, room))
                field = ctypes.c_void_p()
                self.assertFalse(lib.vta_field_create(1, None, f.diag, ctypes.byref(field)))
                self.assertTrue(lib.te_evaluate_field(f.context, field, wrong, 1, array(f.input), data, room))
                self.assertTrue(lib.te_evaluate_field(f.context, field, f.tensor, 1, array(wrong), data, room))
                lib.vta_field_destroy(field)
                proof = _bindings.vtac_prove_result()
                self.assertTrue(lib.vtac_prove(f.context, 1, array(wrong), f.function, None, f.diag,
                                               ctypes.byref(proof)))
                result = _bindings.vtac_check_result()
                self.assertTrue(lib.vtac_check(f.context, 1, array(wrong), f.function, 1, None, f.diag,
                                               ctypes.byref(result)))
                self.assertFalse(lib.te_load(f.context, wrong, 2, array(f.expr, f.expr)))
                pads = (ctypes.c_int64 * 2)(1, 1)
                self.assertFalse(lib.te_pad(f.context, wrong, b"p", pads, pads, 0.0))
            if kind != "te_expr":
                self.assertFalse(lib.te_load(f.context, f.input, 2, array(f.expr, wrong)))
                arg = _bindings.vtac_arg()
                arg.scalar = wrong
                self.assertTrue(lib.vtac_lower(f.schedule, 1, ctypes.byref(arg), b"m", None, ctypes.byref(out)))
            if kind != "te_schedule":
                self.assertTrue(lib.vtac_lower(wrong, 0, None, b"m", None, ctypes.byref(out)))
            if kind != "vtac_func":
                one = _bindings.vtac_build_func()
                one.func = wrong
                self.assertTrue(lib.vtac_build(1, ctypes.byref(one), None, f.diag, ctypes.byref(out)))
                self.assertIn(b"lowered function", lib.vta_diag_text(f.diag))
                self.assertTrue(lib.vtac_emit(1, ctypes.byref(one), None, 0, f.diag, ctypes.byref(out),
                                              ctypes.byref(size)))
            lib.vta_diag_clear(lib.te_context_diag(f.context))
            lib.vta_diag_clear(f.diag)
        f.close()

    def test_words(self):
        f = Fixture()
        self.assertTrue(lib.te_vectorize(f.stage, f.tensor))
        self.assertIn(b"a tensor is given where an axis is expected", lib.vta_diag_text(lib.te_context_diag(f.context)))
        f.close()


if __name__ == "__main__":
    unittest.main()
