/* Between images and tiles: a column of tiles (one group of images, one of channels) at a time, each a task. */
#include "vta/pack.h"

#include <string.h>

#include "base/diag.h"
#include "base/versioned.h"
#include "vta/module.h"

enum { SMALL = 1 << 16, PIXELS = 64 }; /* bytes that are not worth threads; pixels of a block that stays in the cache */

typedef struct job {
    vta_pack_shape s;
    int64_t groups, columns; /* of images, of channels */
    uint8_t *tiles;
    uint8_t *images;
    bool to_tiles;
} job;

/* ---- Moving ---------------------------------------------------------------------------------------------------- */

/* `count` elements, each so many elements behind the one before. */
#define MOVE(type)                                                                                                     \
    static void move_##type(type *to, int64_t to_step, const type *from, int64_t from_step, int64_t count) {           \
        for (int64_t i = 0; i < count; i++) to[i * to_step] = from[i * from_step];                                     \
    }
MOVE(uint8_t)
MOVE(uint16_t)
MOVE(uint32_t)

static void move(uint32_t bytes, void *to, int64_t to_step, const void *from, int64_t from_step, int64_t count) {
    if (bytes == 1)
        move_uint8_t(to, to_step, from, from_step, count);
    else if (bytes == 2)
        move_uint16_t(to, to_step, from, from_step, count);
    else
        move_uint32_t(to, to_step, from, from_step, count);
}

/* Where an element lies, in bytes. */
static size_t image_at(const vta_pack_shape *s, int64_t n, int64_t c, int64_t pixel) {
    int64_t pixels = s->h * s->w;
    int64_t at = s->layout == VTA_NHWC ? (n * pixels + pixel) * s->c + c : (n * s->c + c) * pixels + pixel;
    return (size_t)at * s->element_bytes;
}

static size_t tile_at(const job *j, int64_t group, int64_t column, int64_t pixel, int64_t row, int64_t lane) {
    const vta_pack_shape *s = &j->s;
    int64_t tile = (group * j->columns + column) * s->h * s->w + pixel;
    return (size_t)((tile * s->rows + row) * s->lanes + lane) * s->element_bytes;
}

static void move_part(const job *j, size_t tile, int64_t tile_step, size_t image, int64_t image_step, int64_t count) {
    if (j->to_tiles)
        move(j->s.element_bytes, j->tiles + tile, tile_step, j->images + image, image_step, count);
    else
        move(j->s.element_bytes, j->images + image, image_step, j->tiles + tile, tile_step, count);
}

static int64_t smaller(int64_t x, int64_t y) { return x < y ? x : y; }

/* One image of a column: lanes of a pixel lie together in N H W C, pixels of a channel in N C H W. */
static void move_row(const job *j, int64_t group, int64_t column, int64_t row) {
    const vta_pack_shape *s = &j->s;
    int64_t n = group * s->rows + row, c = column * s->lanes, pixels = s->h * s->w;
    int64_t lanes = smaller(s->lanes, s->c - c);
    if (s->layout == VTA_NHWC) {
        for (int64_t p = 0; p < pixels; p++)
            move_part(j, tile_at(j, group, column, p, row, 0), 1, image_at(s, n, c, p), 1, lanes);
        return;
    }
    for (int64_t p = 0; p < pixels; p += PIXELS)
        for (int64_t lane = 0; lane < lanes; lane++)
            move_part(j, tile_at(j, group, column, p, row, lane), s->rows * s->lanes, image_at(s, n, c + lane, p), 1,
                      smaller(PIXELS, pixels - p));
}

static void move_column(const job *j, int64_t group, int64_t column) {
    const vta_pack_shape *s = &j->s;
    bool full = (group + 1) * s->rows <= s->n && (column + 1) * s->lanes <= s->c;
    size_t begin = tile_at(j, group, column, 0, 0, 0), end = tile_at(j, group, column, s->h * s->w, 0, 0);
    if (j->to_tiles && !full) memset(j->tiles + begin, 0, end - begin);
    for (int64_t row = 0; row < s->rows && group * s->rows + row < s->n; row++) move_row(j, group, column, row);
}

static int run_task(int task, TVMParallelGroupEnv *env, void *data) {
    const job *j = data;
    int64_t all = j->groups * j->columns, tasks = env->num_task;
    for (int64_t i = all * task / tasks; i < all * (task + 1) / tasks; i++)
        move_column(j, i / j->columns, i % j->columns);
    return 0;
}

/* ---- The interface --------------------------------------------------------------------------------------------- */

static vta_status check(const vta_pack_shape *given, vta_diag *diag, job *out_job, size_t *out_bytes) {
    vta_pack_shape *s = &out_job->s;
    VT_TRY(vt_options_read(s, sizeof *s, given, "vta_pack_shape", diag));
    if (s->n < 1 || s->c < 1 || s->h < 1 || s->w < 1 || s->rows < 1 || s->lanes < 1)
        return vt_fail(diag, VTA_INVALID_ARGUMENT,
                       "a tensor of %lld x %lld x %lld x %lld in tiles of %lld x %lld: "
                       "every extent must be at least 1",
                       (long long)s->n, (long long)s->c, (long long)s->h, (long long)s->w, (long long)s->rows,
                       (long long)s->lanes);
    if (s->element_bytes != 1 && s->element_bytes != 2 && s->element_bytes != 4)
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "elements of %u bytes: there are 1, 2 and 4",
                       (unsigned)s->element_bytes);
    if (s->layout != VTA_NCHW && s->layout != VTA_NHWC)
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "layout %d: there are VTA_NCHW and VTA_NHWC", (int)s->layout);
    out_job->groups = (s->n - 1) / s->rows + 1;
    out_job->columns = (s->c - 1) / s->lanes + 1;
    const int64_t factors[] = {out_job->columns, s->h, s->w, s->rows, s->lanes, s->element_bytes};
    int64_t bytes = out_job->groups;
    for (size_t i = 0; i < sizeof factors / sizeof *factors; i++)
        if (__builtin_mul_overflow(bytes, factors[i], &bytes))
            return vt_fail(diag, VTA_OUT_OF_RANGE, "a tensor of %lld x %lld x %lld x %lld is more than memory can hold",
                           (long long)s->n, (long long)s->c, (long long)s->h, (long long)s->w);
    *out_bytes = (size_t)bytes;
    return VTA_OK;
}

vta_status vta_pack_bytes(const vta_pack_shape *shape, vta_diag *diag, size_t *out_bytes) {
    job j;
    if (!shape || !out_bytes) return vt_fail(diag, VTA_INVALID_ARGUMENT, "%s is NULL", shape ? "out_bytes" : "shape");
    return check(shape, diag, &j, out_bytes);
}

static vta_status run(const vta_pack_shape *shape, const void *images, const void *tiles, bool to_tiles,
                      vta_diag *diag) {
    job j;
    size_t bytes;
    if (!shape || !images || !tiles)
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "%s is NULL", !shape ? "shape" : images ? "tiles" : "the tensor");
    VT_TRY(check(shape, diag, &j, &bytes));
    j.images = (uint8_t *)images;
    j.tiles = (uint8_t *)tiles;
    j.to_tiles = to_tiles;
    TVMParallelGroupEnv alone = {.num_task = 1};
    if (bytes < SMALL || TVMBackendParallelLaunch(run_task, &j, 0) != 0) run_task(0, &alone, &j);
    return VTA_OK;
}

vta_status vta_pack(const vta_pack_shape *shape, const void *from, vta_diag *diag, void *out_tiles) {
    return run(shape, from, out_tiles, true, diag);
}

vta_status vta_unpack(const vta_pack_shape *shape, const void *tiles, vta_diag *diag, void *out_to) {
    return run(shape, out_to, tiles, false, diag);
}
