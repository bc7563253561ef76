"""Random cases of recurrent operators and of control flow, made from ONNX's document of operators: more rows of
onnx_cases.CASES."""

import numpy as np
from onnx import TensorProto, helper

from onnx_cases import F32, I32, I64, operator

GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}


@operator("LSTM", "GRU", "RNN")
def _recurrent(d):
    steps, batch, width, hidden, gates = d.upto(1, 5), d.upto(1, 3), d.upto(1, 4), d.upto(1, 4), GATES[d.name]
    direction = d.pick(None, "forward", "reverse", "bidirectional")
    both = 2 if direction == "bidirectional" else 1
    d.tolerance = 1e-4
    d.set(direction=direction, hidden_size=hidden, clip=d.pick(None, None, 0.6))
    if d.name == "GRU":
        d.set(linear_before_reset=d.pick(None, 0, 1))
    if d.name == "LSTM":
        d.set(input_forget=d.pick(None, None, 1))
    if d.chance(0.3):
        d.set(activations=[d.pick("Tanh", "Sigmoid", "Relu", "Softsign") for _ in range(both * max(1, gates - 1))])
    d.input(d.array([steps, batch, width]))
    d.constant(d.array([both, gates * hidden, width], F32, -1, 1))
    d.constant(d.array([both, gates * hidden, hidden], F32, -1, 1))
    d.constant(d.array([both, 2 * gates * hidden], F32, -1, 1)) if d.chance() else d.input(None)
    lengths = d.random.integers(1, steps + 1, batch).astype(I32)
    d.input(lengths if d.chance(0.4) else None, constant=d.chance())
    for _ in range(2 if d.name == "LSTM" else 1):
        d.input(d.array([both, batch, hidden], F32, -1, 1) if d.chance(0.7) else None)
    if d.name == "LSTM" and d.chance(0.3):
        d.constant(d.array([both, 3 * hidden], F32, -1, 1))
    d.outputs = 3 if d.name == "LSTM" else 2


def _value(name, dtype=TensorProto.FLOAT, shape=None):
    return helper.make_tensor_value_info(name, dtype, shape)


def _body(nodes, inputs, outputs):
    return helper.make_graph(nodes, "body", inputs, [_value(*o) if isinstance(o, tuple) else _value(o) for o in outputs])


@operator("If")
def _if(d):
    shape, known = d.shape(1, 3), d.chance()
    d.input(np.array(d.chance()), constant=known)
    x = d.array(shape)
    d.inputs["outer"] = x  # bodies see what is around them
    node = helper.make_node
    d.set(then_branch=_body([node("Relu", ["outer"], ["then"])], [], ["then"]),
          else_branch=_body([node("Neg", ["outer"], ["part"]), node("Exp", ["part"], ["else"])], [], ["else"]))


@operator("Loop", sets=(9, 24))
def _loop(d):
    shape, turns, node = d.shape(0, 3), d.upto(1, 5), helper.make_node
    d.inputs["outer"] = d.array(shape)
    stops = d.chance()  # the condition holds for two turns only
    d.constant(np.array(turns, I64))
    d.constant(np.array(True)) if d.chance() else d.input(None)
    d.input(d.array(shape))
    d.outputs = 2
    two = helper.make_tensor("two", TensorProto.INT64, [], [1])
    condition = [node("Constant", [], ["two"], value=two), node("Less", ["i", "two"], ["goes"])] if stops else [
        node("Identity", ["goes_in"], ["goes"])]
    cast = [node("Cast", ["i"], ["turn"], to=TensorProto.FLOAT)]
    work = [node("Add", ["state", "outer"], ["sum"]), node("Mul", ["sum", "turn"], ["next"]),
            node("Tanh", ["next"], ["seen"])]
    d.set(body=_body([*condition, *cast, *work],
                     [_value("i", TensorProto.INT64, []), _value("goes_in", TensorProto.BOOL, []), _value("state")],
                     [("goes", TensorProto.BOOL), "next", "seen"]))


@operator("Scan", sets=(9, 24))
def _scan(d):
    turns, width, axis, node = d.upto(1, 5), d.upto(1, 4), d.upto(0, 1), helper.make_node
    d.set(num_scan_inputs=1, scan_input_axes=[axis], scan_output_axes=[d.upto(0, 1)] if d.chance() else None,
          scan_input_directions=[d.upto(0, 1)], scan_output_directions=[d.upto(0, 1)] if d.chance() else None)
    d.input(d.array([width]))
    d.input(d.array([turns, width] if axis == 0 else [width, turns]))
    d.outputs = 2
    d.set(body=_body([node("Add", ["state", "x"], ["next"]), node("Tanh", ["next"], ["seen"])],
                     [_value("state"), _value("x")], ["next", "seen"]))
