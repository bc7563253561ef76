/* vta run MODEL.onnx --float. */
#ifndef CLI_C_RUN_FLOAT_H
#define CLI_C_RUN_FLOAT_H

#include "c_float.h"
#include "model.h"

/* Evaluates a network in floats once, and tells what came out, as cli_run_model does. */
vta_status cli_run_float(const cli_graph *how, const cli_model *m);

#endif
