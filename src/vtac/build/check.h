/* Running a computation on concrete inputs against its meaning: operands, their random contents, the reference. */
#ifndef VT_BUILD_CHECK_H
#define VT_BUILD_CHECK_H

#include "base/clock.h"
#include "ir/dtype.h"
#include "vta/build.h"

/* An argument. */
typedef struct vt_operand {
    const te_tensor *tensor;
    vt_dtype dtype;
    vta_array *array;
    uint64_t count;  /* elements */
    size_t unit;     /* bytes of one element in `values`: types under 8 bits take one byte */
    uint8_t *values; /* inputs: what was put in; outputs: what the reference gives */
    uint8_t *got;    /* outputs: what the function gave */
} vt_operand;

/* Elements under 8 bits share bytes on the device; a bool has one. */
static inline bool vt_operand_is_packed(const vt_operand *o) {
    return o->dtype.bits < 8 && !vt_dtype_is_bool(o->dtype);
}

typedef struct vt_checking {
    te_context *c;
    vta_diag *diag;
    const vta_allocator *allocator;
    size_t n;
    uint64_t random;
    int32_t magnitude; /* of integer inputs; 0: the whole range of their type */
    size_t bytes;      /* of the lists */
    /* Lists of n. */
    vt_operand *operands;
    DLTensor **dl;
    te_tensor **tensors;
    const void **data;
    vta_array **host;
    vtac_arg *args;
} vt_checking;

/* VTA_INVALID_ARGUMENT, with a message where there are words for it, unless these are a context and tensors. */
vta_status vt_checking_args(const te_context *c, size_t n, const te_tensor *const args[], vta_diag *diag);
/* The lists for k->n arguments; false when out of memory. Free in any case with vt_checking_free. */
bool vt_checking_make(vt_checking *k);
void vt_checking_free(vt_checking *k);
void vt_checking_seed(vt_checking *k, uint64_t seed);
/* Operand `index` of a tensor, with its array on a device. */
vta_status vt_checking_operand(vt_checking *k, size_t index, const te_tensor *t, int32_t device);
void vt_checking_fill(vt_checking *k, vt_operand *o);
/* `values` to the operand's array; the array to `got`. */
vta_status vt_checking_write(vt_checking *k, const vt_operand *o);
vta_status vt_checking_read(vt_checking *k, const vt_operand *o);
/* What the outputs should be, to their `values`. */
vta_status vt_checking_evaluate(vt_checking *k, bool interpreted, vtac_check_result *result);
/* Adds the comparison of `values` and `got` of an output. */
void vt_checking_compare(const vt_operand *o, size_t arg, vtac_check_result *result);

#endif
