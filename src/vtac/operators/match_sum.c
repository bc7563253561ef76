/* The sum of products: its factors, and which of the arguments they are. */
#include "operators/match.h"

vta_status vt__match_product_refuse(const vt_match *m, const vt_expr *e, const char *what) {
    return vt__match_refuse(m, m->sums, e, "%s", what);
}

bool vt__match_tap(const vt_match *m, const vt_affine *a, const vt_var **out_axis, int64_t *out_extent) {
    *out_axis = NULL;
    *out_extent = 1;
    if (!a->n) return !a->constant;
    *out_axis = a->var[0];
    *out_extent = vt__match_reduce_extent(m->sums, a->var[0]);
    return a->n == 1 && a->times[0] == 1 && !a->constant && *out_extent;
}

bool vt__match_same_tap(const vt_affine *a, const vt_var *tap) {
    return tap ? a->n == 1 && a->times[0] == 1 && !a->constant && a->var[0] == tap : !a->n && !a->constant;
}

static vta_status read_product(vt_match *m, vt_match_product *out) {
    const vt_expr *e = vt__match_body(m->sums), *condition;
    if (!vt_is_sum(e)) return vt__match_product_refuse(m, NULL, "reduces by something else than a sum");
    const vt_expr *source = e->a[0];
    out->guarded = vt__choice_read(source, &condition, &source);
    if (out->guarded && !vt__guards_read(condition, &out->guards))
        return vt__match_product_refuse(m, condition,
                                        "this condition is not made of comparisons of an image's row or column");
    if (source->kind != VT_E_MUL || e->dtype.bits != 32 || e->dtype.code != VT_INT)
        return vt__match_product_refuse(m, source,
                                        "is not a product of two elements, added up as acc_t: write "
                                        "sum[...](acc_t(data[...]) * acc_t(weight[...]))");
    if (!vt__match_operand_read(source->a[0], &out->data) || !vt__match_operand_read(source->a[1], &out->weight))
        return vt__match_product_refuse(m, source, "a factor is not an element of a tensor in tiles at sums of axes");
    return VTA_OK;
}

/* The factor that has the result's channel lanes is the weights. */
static void turn(const vt_match *m, vt_match_product *p) {
    uint32_t lanes = m->sums->ndim - 1, before = p->data.load->n - 2;
    if (vt__affine_times(&p->data.index[before], vt__match_axis(m->sums, lanes)) != 1) return;
    vt_match_operand data = p->data;
    p->data = p->weight;
    p->weight = data;
}

vta_status vt__match_argument(const vt_match *m, const vt_tensor *t, const char *type, vta_memory memory,
                              const vt_tensor **out) {
    *out = vt__match_source(t);
    if (vt__match_body(*out))
        return vt__match_refuse(m, *out, vt__match_body(*out),
                                "is neither an argument, nor a copy of one, nor one padded with zeros");
    if ((*out)->dtype.code != VT_INT || (*out)->dtype.bits != vta_config_width(m->config, memory))
        return vt__match_refuse(m, *out, NULL, "has another element type than %s", type);
    return VTA_OK;
}

static bool lanes(const vt_match *m, const vt_tensor *t, vta_memory memory) {
    uint32_t rows = t->ndim - 2;
    int64_t batch = vta_config_batch(m->config), in = vta_config_block_in(m->config),
            out = vta_config_block_out(m->config);
    int64_t first = memory == VTA_MEM_WGT ? out : batch, second = memory == VTA_MEM_OUT ? out : in;
    return vt__match_dim(t, rows) == first && vt__match_dim(t, rows + 1) == second;
}

static vta_status check_lanes(const vt_match *m, const vt_match_product *p) {
    const vt_tensor *of[3] = {m->sums, p->data.tensor, p->weight.tensor};
    static const vta_memory memories[3] = {VTA_MEM_OUT, VTA_MEM_INP, VTA_MEM_WGT};
    static const char *const forms[3] = {"BATCH, BLOCK_OUT", "BATCH, BLOCK_IN", "BLOCK_OUT, BLOCK_IN"};
    for (int i = 0; i < 3; i++)
        if (!lanes(m, of[i], memories[i]))
            return vt__match_refuse(m, of[i], NULL, "its last two dimensions must be %s: %u x %u x %u here", forms[i],
                                    (unsigned)vta_config_batch(m->config), (unsigned)vta_config_block_in(m->config),
                                    (unsigned)vta_config_block_out(m->config));
    return VTA_OK;
}

/* Extents of reduce axes are those of what they index: what a tensor holds beyond them would stay unread. */
static vta_status check_extents(const vt_match *m, const vt_match_product *p) {
    for (uint32_t i = 0; i < p->weight.load->n; i++) {
        const vt_affine *a = &p->weight.index[i];
        int64_t extent = a->n ? vt__match_reduce_extent(m->sums, a->var[0]) : 1,
                size = vt__match_dim(p->weight.tensor, i);
        if (!extent) continue; /* a data axis, whose extent is checked as one */
        if (extent != size)
            return vt__match_refuse(m, m->weight, NULL,
                                    "dimension %u has %lld elements and %lld are used: all of them must be", i,
                                    (long long)size, (long long)extent);
    }
    return VTA_OK;
}

static vta_status check_dims(const vt_match *m) {
    const vt_tensor *s = m->sums, *of[2] = {m->data, m->weight};
    uint32_t first = s->ndim == 5;
    for (uint32_t i = 0; i < 2; i++)
        for (uint32_t k = 0; k <= first; k++) {
            uint32_t of_sum = k == first ? first + i : 0;
            if (vt__match_dim(of[i], k) != vt__match_dim(s, of_sum))
                return vt__match_refuse(
                    m, of[i], NULL, "dimension %u has %lld elements, the result's dimension %u %lld", k,
                    (long long)vt__match_dim(of[i], k), of_sum, (long long)vt__match_dim(s, of_sum));
        }
    int64_t channels = vt__match_dim(m->weight, 1 + first) * (m->groups ? m->groups : 1);
    if (vt__match_dim(m->data, 1 + first) != channels)
        return vt__match_refuse(m, m->data, NULL, "dimension %u has %lld elements, %s takes %lld", 1 + first,
                                (long long)vt__match_dim(m->data, 1 + first), m->weight->name, (long long)channels);
    return VTA_OK;
}

vta_status vt__match_sum(vt_match *m) {
    vt_match_product p = {.guarded = false};
    uint32_t ndim = m->sums->ndim;
    bool transposed = false;
    if (ndim < 4 || ndim > 6)
        return vt__match_refuse(m, m->sums, NULL,
                                "has %u dimensions: a convolution in tiles has [images, channel blocks, rows, columns, "
                                "BATCH, BLOCK_OUT], a matrix product [rows, channel blocks, BATCH, BLOCK_OUT], and a "
                                "batch of those one more in front",
                                (unsigned)ndim);
    VT_TRY(vt__match_start(m));
    if (ndim == 6) VT_TRY(vt__match_transposed(m, &transposed));
    if (transposed) return VTA_OK;
    VT_TRY(read_product(m, &p));
    turn(m, &p);
    VT_TRY(check_lanes(m, &p));
    VT_TRY(vt__match_argument(m, p.weight.tensor, "wgt_t", VTA_MEM_WGT, &m->weight));
    VT_TRY(ndim == 6 ? vt__match_conv(m, &p) : vt__match_dense(m, &p, ndim - 4));
    VT_TRY(check_extents(m, &p));
    vt__match_add_input(m, m->data, "data");
    vt__match_add_input(m, m->weight, "weight");
    return check_dims(m);
}
