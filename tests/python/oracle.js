// Runs ONNX models with ONNX Runtime. Requests are lines of JSON on standard input, answers are lines on standard output:
//   {"model": "file.onnx", "inputs": {"x": {"type": "float32", "dims": [1, 3], "data": "base64"}}}
//   {"outputs": {"y": {...}}}  or  {"error": "..."}
// ONNX Runtime is looked for in the folder that the first argument names (scripts/install_oracle). Its optimizer is off,
// so that each operator is computed as the model has it.
"use strict";
const path = require("path");
const readline = require("readline");
const ort = require(path.join(process.argv[2], "node_modules", "onnxruntime-node"));

const ARRAYS = {
  float32: Float32Array, float64: Float64Array, int8: Int8Array, uint8: Uint8Array, int16: Int16Array,
  uint16: Uint16Array, int32: Int32Array, uint32: Uint32Array, int64: BigInt64Array, uint64: BigUint64Array,
  bool: Uint8Array, float16: globalThis.Float16Array || Uint16Array,
};

function tensor(t) {
  const bytes = Buffer.from(t.data, "base64");
  const copy = new ArrayBuffer(bytes.length);
  new Uint8Array(copy).set(bytes);
  return new ort.Tensor(t.type, new ARRAYS[t.type](copy), t.dims);
}

function text(t) {
  const bytes = Buffer.from(t.data.buffer, t.data.byteOffset, t.data.byteLength);
  return {type: t.type, dims: Array.from(t.dims), data: bytes.toString("base64")};
}

async function answer(request) {
  const session = await ort.InferenceSession.create(request.model, {
    graphOptimizationLevel: "disabled", intraOpNumThreads: 1, interOpNumThreads: 1, logSeverityLevel: 4,
  });
  const inputs = {}, outputs = {};
  for (const name of Object.keys(request.inputs)) inputs[name] = tensor(request.inputs[name]);
  const results = await session.run(inputs);
  for (const name of session.outputNames) outputs[name] = text(results[name]);
  await session.release();
  return {outputs};
}

async function main() {
  for await (const line of readline.createInterface({input: process.stdin})) {
    let reply;
    try {
      reply = await answer(JSON.parse(line));
    } catch (error) {
      reply = {error: String(error.message || error)};
    }
    process.stdout.write(JSON.stringify(reply) + "\n");
  }
}

main();
