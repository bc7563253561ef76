/* TVM's RPC protocol (docs/rpc.md): packets, and the values in them. */
#ifndef VT_RPC_TVM_H
#define VT_RPC_TVM_H

#include "rpc/session.h"

enum {
#define VT_TVM_CODE(name, number) VT_TVM_##name = number,
#include "rpc/tvm.def"
#undef VT_TVM_CODE
};

enum { VT_TVM_MAX_ARGS = 64, VT_TVM_PACKET_BYTES = 1 << 29, VT_TVM_KEY_BYTES = 4096 };

/* One value of a packet; texts and bytes stand in the packet. */
typedef struct vt_tvm_value {
    int code; /* vta_type_code */
    uint64_t bits;
    const char *text;
    size_t size;
    /* A tensor: bits is its array. */
    DLDevice device;
    int32_t ndim;
    DLDataType type;
    int64_t shape[VTA_ARRAY_MAX_DIMS];
    uint64_t offset;
} vt_tvm_value;

typedef struct vt_tvm_args {
    int count;
    vt_tvm_value at[VT_TVM_MAX_ARGS];
} vt_tvm_args;

/* VTA_PARSE: cut short, too many, of a type that does not travel. */
vta_status vt__tvm_read_args(vt_rpc_reader *r, vta_diag *diag, vt_tvm_args *out_args);
vta_status vt__tvm_read_tensor(vt_rpc_reader *r, vta_diag *diag, vt_tvm_value *out_value);
/* The array that a tensor describes a part of, as the kernels see it; `shape` stays the value's. VTA_OUT_OF_RANGE: it
 * is larger than the array. */
vta_status vt__tvm_tensor(vt_rpc_session *s, const vt_tvm_value *value, DLTensor *out_tensor);

/* Packets begin with the length of what follows. */
size_t vt__tvm_begin(vt_strbuf *to, uint32_t code);
void vt__tvm_end(vt_strbuf *to, size_t begin);
/* A packet that returns one value; `text` of so many bytes for VTA_ARG_STRING and _BYTES, else `bits`. `called`: by a
 * function, whose results carry their type twice. */
void vt__tvm_return(vt_strbuf *to, bool called, int code, uint64_t bits, const char *text, size_t size);
/* A packet that raises an error in the client. */
void vt__tvm_exception(vt_strbuf *to, const char *text);
/* One with what went wrong (vt__session_words). */
void vt__tvm_raise(const vt_rpc_session *s, vta_status status, vt_strbuf *out);

/* ---- Functions by name (tvm_functions.c) ---- */
/* Its number; -1: there is no such function. */
int vt__tvm_find(const char *name, size_t size);
/* Calls one, and appends the packet that returns its result. */
vta_status vt__tvm_call(vt_rpc_session *s, int function, const vt_tvm_args *args, vt_strbuf *out);

#endif
