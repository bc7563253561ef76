/* Functions of one integer: nodes of one element each whose only operand that is computed is one tensor of integers,
 * however often it is read (x * Sigmoid(x)). All nodes between that tensor and a value that something else reads become
 * one layer: a table with a result for each integer. */
#ifndef VT_QUANT_FUNCTION_H
#define VT_QUANT_FUNCTION_H

#include "frontend/quant/priv.h"

/* function.c: may the operator be part of one? */
bool vt__function_is_known(vt_gop op);
/* What it gives for operands `a` and `b` (of operators of two; else not looked at), in doubles. */
double vt__function_of(const vt_gnode *n, double a, double b);

/* find_function.c: notes of which tensor of integers the node's result is a function; false: of none. Its layer is made
 * when something asks for the result. */
bool vt__defer_function(vt_quantizer *q, const vt_gnode *n);
/* Chains for the value, which something reads that is no function of the same tensor; nothing where it has one. */
void vt__settle_function(vt_quantizer *q, const vt_gvalue *v);
/* Is it a result of a layer that may get integers of 16 bits (wide.c)? */
bool vt__may_be_wide(const vt_quantizer *q, const vt_gvalue *v);
/* Is every reader of the value an element-wise function of it whose result feeds a product, and is the tensor so large
 * that computing those functions in floats on the host would take longer than the products? Then the value gets 8 bits,
 * and the functions become tables. */
bool vt__is_for_tables(const vt_quantizer *q, const vt_gvalue *v);
/* The nodes between `from` and `to`, in their order; their number. */
uint32_t vt__function_nodes(const vt_quantizer *q, const vt_gvalue *from, const vt_gvalue *to, const vt_gnode **out);

/* useful.c: marks values from which integers come to a product: only those may become integers that floats were before.
 * What follows the last product keeps its precision. */
void vt__find_useful(vt_quantizer *q);

#endif
