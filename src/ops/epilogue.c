/* What follows an operator element by element. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "ops/ops.h"

typedef struct row {
    const char *name, *form, *text;
    int numbers;
    int32_t value[2], least, most;
} row;

static const row rows[] = {
#define VT_EPILOGUE(name, form, numbers, a, b, least, most, text) {#name, form, text, numbers, {a, b}, least, most},
#include "ops/epilogue.def"
};

const char *vtac_epilogue_name(size_t index) { return index < VT_EPILOGUES ? rows[index].name : NULL; }
const char *vtac_epilogue_form(size_t index) { return index < VT_EPILOGUES ? rows[index].form : NULL; }
const char *vtac_epilogue_text(size_t index) { return index < VT_EPILOGUES ? rows[index].text : NULL; }

/* ---- Reading --------------------------------------------------------------------------------------------------- */

/* The values that x may have: a maximum or minimum that changes nothing is left out. */
typedef struct reading {
    vtac_op *op;
    vta_diag *diag;
    int64_t least, most;
} reading;

static bool changes_nothing(const reading *r, vt_epilogue_kind kind, int32_t number) {
    switch (kind) {
    case VT_EPILOGUE_max: return number <= r->least;
    case VT_EPILOGUE_min: return number >= r->most;
    case VT_EPILOGUE_shift:
    case VT_EPILOGUE_add: return number == 0;
    case VT_EPILOGUE_multiply: return number == 1;
    default: return false;
    }
}

static vta_status add(reading *r, vt_epilogue_kind kind, int32_t number) {
    vtac_op *op = r->op;
    if (changes_nothing(r, kind, number)) return VTA_OK;
    if (kind == VT_EPILOGUE_multiply && number == 0)
        return vt_fail(r->diag, VTA_INVALID_ARGUMENT,
                       "epilogue: multiply:0 makes zeros of any input: nothing would be computed");
    if (op->n_epilogue == VT_EPILOGUE_MOST)
        return vt_fail(r->diag, VTA_OUT_OF_RANGE, "epilogue: more than %d steps", VT_EPILOGUE_MOST);
    op->epilogue[op->n_epilogue++] = (vt_epilogue){kind, number};
    if (kind == VT_EPILOGUE_shift) {
        r->least >>= number;
        r->most >>= number;
    } else if (kind == VT_EPILOGUE_max) {
        r->least = number;
        if (r->most < number) r->most = number;
    } else if (kind == VT_EPILOGUE_min) {
        r->most = number;
        if (r->least > number) r->least = number;
    } else {
        r->least = INT32_MIN;
        r->most = INT32_MAX;
    }
    return VTA_OK;
}

static vta_status add_step(reading *r, vt_epilogue_kind kind, const int32_t *number) {
    switch (kind) {
    case VT_EPILOGUE_relu: return add(r, VT_EPILOGUE_max, 0);
    case VT_EPILOGUE_clip: VT_TRY(add(r, VT_EPILOGUE_max, number[0])); return add(r, VT_EPILOGUE_min, number[1]);
    case VT_EPILOGUE_bias: r->op->biases++; return add(r, kind, (int32_t)r->op->biases - 1);
    case VT_EPILOGUE_residual: r->op->residuals++; return add(r, kind, (int32_t)r->op->residuals - 1);
    default: return add(r, kind, *number);
    }
}

static vta_status find(const char *word, size_t size, vta_diag *diag, vt_epilogue_kind *out_kind) {
    const char *names[VT_EPILOGUES];
    char near[VT_SUGGESTION_BYTES], name[64];
    for (size_t i = 0; i < VT_EPILOGUES; i++) {
        names[i] = rows[i].name;
        *out_kind = (vt_epilogue_kind)i;
        if (strlen(names[i]) == size && !strncmp(names[i], word, size)) return VTA_OK;
    }
    snprintf(name, sizeof name, "%.*s", (int)size, word);
    return vt_fail(diag, VTA_NOT_FOUND, "epilogue: there is no step \"%s\"%s", name,
                   vt_suggest(near, name, names, VT_EPILOGUES));
}

/* ":N" behind a step's name; *at stands behind it then. */
static vta_status read_number(const row *is, const char **at, const char *end, vta_diag *diag, int32_t *out) {
    char *stop, word[32];
    size_t size = 0;
    for (++*at; *at < end && **at != ':' && size < sizeof word - 1; ++*at) word[size++] = **at;
    word[size] = 0;
    long value = strtol(word, &stop, 10);
    if (!size || *stop)
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "epilogue: %s: \"%s\" is not an integer", is->form, word);
    if (value < is->least || value > is->most)
        return vt_fail(diag, VTA_OUT_OF_RANGE, "epilogue: %s: %ld is not from %d to %d, what an instruction holds",
                       is->form, value, (int)is->least, (int)is->most);
    *out = (int32_t)value;
    return VTA_OK;
}

static vta_status read_step(reading *r, const char *word, size_t size) {
    const char *end = word + size, *at = memchr(word, ':', size);
    vt_epilogue_kind kind;
    if (!at) at = end;
    VT_TRY(find(word, (size_t)(at - word), r->diag, &kind));
    const row *is = &rows[kind];
    int32_t number[2] = {is->value[0], is->value[1]}, half = INT32_C(1)
                                                             << (vta_config_width(r->op->config, VTA_MEM_OUT) - 1);
    int given = 0;
    if (kind == VT_EPILOGUE_clip) number[0] = -half, number[1] = half - 1;
    for (; at < end && given < is->numbers; given++) VT_TRY(read_number(is, &at, end, r->diag, &number[given]));
    bool needed = is->numbers == 1 && kind != VT_EPILOGUE_shift;
    if (at < end || (given == 1 && is->numbers == 2) || (!given && needed))
        return vt_fail(r->diag, VTA_INVALID_ARGUMENT, "epilogue: \"%.*s\" is not of the form %s", (int)size, word,
                       is->form);
    if (kind == VT_EPILOGUE_clip && number[0] > number[1])
        return vt_fail(r->diag, VTA_INVALID_ARGUMENT, "epilogue: clip: %d is above %d", (int)number[0], (int)number[1]);
    return add_step(r, kind, number);
}

vta_status vt__epilogue_read(vtac_op *op, const char *text, size_t size, vta_diag *diag) {
    reading r = {op, diag, INT32_MIN, INT32_MAX};
    const char *end = text + size;
    while (text < end) {
        const char *comma = memchr(text, ',', (size_t)(end - text));
        size_t length = (size_t)((comma ? comma : end) - text);
        VT_TRY(read_step(&r, text, length));
        text += length + 1;
    }
    return VTA_OK;
}

/* ---- Writing --------------------------------------------------------------------------------------------------- */

void vt__epilogue_inputs(const vtac_op *op, const char *bias_shape, const char *shape, vt_strbuf *out) {
    for (uint32_t i = 0; i < op->biases; i++) vt_strbuf_addf(out, "input bias%u: acc_t[%s]\n", i, bias_shape);
    for (uint32_t i = 0; i < op->residuals; i++) vt_strbuf_addf(out, "input residual%u: acc_t[%s]\n", i, shape);
    for (uint32_t i = 0; i < op->biases; i++)
        vt_strbuf_addf(out, "tensor bias%u_buf like bias%u = bias%u[...]\n", i, i, i);
    for (uint32_t i = 0; i < op->residuals; i++)
        vt_strbuf_addf(out, "tensor residual%u_buf like residual%u = residual%u[...]\n", i, i, i);
}

static void write_body(const vt_epilogue *e, const char *from, const char *index, const char *bias_index,
                       vt_strbuf *out) {
    switch (e->kind) {
    case VT_EPILOGUE_shift: vt_strbuf_addf(out, "%s[%s] >> %d", from, index, (int)e->number); return;
    case VT_EPILOGUE_max: vt_strbuf_addf(out, "max(%s[%s], %d)", from, index, (int)e->number); return;
    case VT_EPILOGUE_min: vt_strbuf_addf(out, "min(%s[%s], %d)", from, index, (int)e->number); return;
    case VT_EPILOGUE_add: vt_strbuf_addf(out, "%s[%s] + %d", from, index, (int)e->number); return;
    case VT_EPILOGUE_multiply: vt_strbuf_addf(out, "%s[%s] * %d", from, index, (int)e->number); return;
    case VT_EPILOGUE_bias:
        vt_strbuf_addf(out, "%s[%s] + bias%d_buf[%s]", from, index, (int)e->number, bias_index);
        return;
    default: vt_strbuf_addf(out, "%s[%s] + residual%d_buf[%s]", from, index, (int)e->number, index); return;
    }
}

void vt__epilogue_tensors(const vtac_op *op, const char *axes, const char *index, const char *bias_index,
                          vt_strbuf *out) {
    char from[32] = "sums", to[32];
    for (uint32_t i = 0; i < op->n_epilogue; i++) {
        snprintf(to, sizeof to, "%s_%u", rows[op->epilogue[i].kind].name, i);
        vt_strbuf_addf(out, "tensor %s[%s] = ", to, axes);
        write_body(&op->epilogue[i], from, index, bias_index, out);
        vt_strbuf_addc(out, '\n');
        memcpy(from, to, sizeof from);
    }
    vt_strbuf_addf(out, "output res[%s] = out_t(%s[%s])\n", axes, from, index);
}

void vt__epilogue_stages(const vtac_op *op, const char *axis, vt_strbuf *out) {
    static const char load[] = "stage %s%u_buf\n  scope acc\n  compute_at res, %s\n  pragma 0 dma_copy\n";
    for (uint32_t i = 0; i < op->biases; i++) vt_strbuf_addf(out, load, "bias", i, axis);
    for (uint32_t i = 0; i < op->residuals; i++) vt_strbuf_addf(out, load, "residual", i, axis);
    for (uint32_t i = 0; i < op->n_epilogue; i++)
        vt_strbuf_addf(out, "stage %s_%u\n  scope acc\n  compute_at res, %s\n  pragma 0 alu\n",
                       rows[op->epilogue[i].kind].name, i, axis);
}
