/* Between images and tiles: columns of tiles (one group of images, one of channels) are shared out as tasks. Where
 * channels are apart (N C H W), blocks of lanes and pixels change places; where they lie together, lanes are copied. */
#include "vta/pack.h"

#include <string.h>

#include "base/diag.h"
#include "base/versioned.h"
#include "module/transpose.h"
#include "vta/module.h"

enum { SMALL = 1 << 20 /* bytes that are not worth threads */, WIDE_PIXELS = 64 };

typedef struct job {
    vta_pack_shape s;
    int64_t groups, columns; /* of images, of channels */
    uint8_t *tiles, *images;
    size_t tile_bytes, image_bytes;
    bool to_tiles, wide;
} job;

/* ---- Moving ---------------------------------------------------------------------------------------------------- */

/* At most a row of a block: the ends of what is shorter overlap. */
static inline void copy_short(uint8_t *to, const uint8_t *from, size_t size) {
    uint64_t a, b;
    uint32_t c, d;
    if (size == VT_BLOCK_BYTES) {
        memcpy(to, from, VT_BLOCK_BYTES);
    } else if (size >= sizeof a) {
        memcpy(&a, from, sizeof a);
        memcpy(&b, from + size - sizeof b, sizeof b);
        memcpy(to, &a, sizeof a);
        memcpy(to + size - sizeof b, &b, sizeof b);
    } else if (size >= sizeof c) {
        memcpy(&c, from, sizeof c);
        memcpy(&d, from + size - sizeof d, sizeof d);
        memcpy(to, &c, sizeof c);
        memcpy(to + size - sizeof d, &d, sizeof d);
    } else {
        for (size_t i = 0; i < size; i++) to[i] = from[i];
    }
}

static inline void copy(uint8_t *to, const uint8_t *from, size_t size) {
    for (; size > VT_BLOCK_BYTES; size -= VT_BLOCK_BYTES, to += VT_BLOCK_BYTES, from += VT_BLOCK_BYTES)
        memcpy(to, from, VT_BLOCK_BYTES);
    copy_short(to, from, size);
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

static int64_t smaller(int64_t x, int64_t y) { return x < y ? x : y; }

/* A block of `lanes` rows of an image's pixels, and `pixels` rows of a tile's lanes. */
typedef struct part {
    size_t image, tile, image_step, tile_step; /* bytes */
    int64_t lanes, pixels;
} part;

/* May rows of a whole block be read, though only a part of what they hold is wanted? */
static bool readable(const job *j, int64_t lanes, size_t begin, size_t step, size_t bytes) {
    size_t side = VT_BLOCK_BYTES / j->s.element_bytes;
    return (size_t)lanes == side && begin + (side - 1) * step + VT_BLOCK_BYTES <= bytes;
}

/* Rows of a block that are not there are zeros: lanes past the last, which a tile has and an image has not. */
static void block_to_tiles(const job *j, const part *p, size_t lane_bytes) {
    uint32_t bytes = j->s.element_bytes;
    const uint8_t *image = j->images + p->image;
    vt_block from, to;
    if (readable(j, p->lanes, p->image, p->image_step, j->image_bytes)) {
        vt__transpose(to.row[0], VT_BLOCK_BYTES, image, p->image_step, bytes);
    } else {
        memset(&from, 0, sizeof from);
        for (int64_t i = 0; i < p->lanes; i++)
            copy_short(from.row[i], image + (size_t)i * p->image_step, (size_t)p->pixels * bytes);
        vt__transpose(to.row[0], VT_BLOCK_BYTES, from.row[0], VT_BLOCK_BYTES, bytes);
    }
    for (int64_t i = 0; i < p->pixels; i++)
        copy_short(j->tiles + p->tile + (size_t)i * p->tile_step, to.row[i], lane_bytes);
}

static void block_from_tiles(const job *j, const part *p) {
    uint32_t bytes = j->s.element_bytes;
    const uint8_t *tile = j->tiles + p->tile;
    vt_block from, to;
    if (readable(j, p->lanes, p->tile, p->tile_step, j->tile_bytes)) {
        vt__transpose(to.row[0], VT_BLOCK_BYTES, tile, p->tile_step, bytes);
    } else {
        memset(&from, 0, sizeof from);
        for (int64_t i = 0; i < p->pixels; i++)
            copy_short(from.row[i], tile + (size_t)i * p->tile_step, (size_t)p->lanes * bytes);
        vt__transpose(to.row[0], VT_BLOCK_BYTES, from.row[0], VT_BLOCK_BYTES, bytes);
    }
    for (int64_t i = 0; i < p->lanes; i++)
        copy_short(j->images + p->image + (size_t)i * p->image_step, to.row[i], (size_t)p->pixels * bytes);
}

static void move_block(const job *j, const part *p, int64_t width) {
    int64_t side = VT_BLOCK_BYTES / j->s.element_bytes;
    bool whole = p->lanes == side && p->pixels == side;
    if (whole && j->to_tiles)
        vt__transpose(j->tiles + p->tile, p->tile_step, j->images + p->image, p->image_step, j->s.element_bytes);
    else if (whole)
        vt__transpose(j->images + p->image, p->image_step, j->tiles + p->tile, p->tile_step, j->s.element_bytes);
    else if (j->to_tiles)
        block_to_tiles(j, p, (size_t)width * j->s.element_bytes);
    else
        block_from_tiles(j, p);
}

/* The same of bytes, up to 64 pixels at a time. */
static void move_bytes(const job *j, int64_t group, int64_t column, int64_t row) {
    const vta_pack_shape *s = &j->s;
    int64_t n = group * s->rows + row, all = s->h * s->w;
    size_t step = (size_t)(s->rows * s->lanes);
    for (int64_t pixel = 0; pixel < all; pixel += WIDE_PIXELS)
        for (int64_t lane = 0; lane < s->lanes; lane += VT_BLOCK_BYTES) {
            int64_t c = column * s->lanes + lane, lanes = smaller(VT_BLOCK_BYTES, c < s->c ? s->c - c : 0);
            uint8_t *tile = j->tiles + tile_at(j, group, column, pixel, row, lane);
            uint8_t *image = j->images + (lanes ? image_at(s, n, c, pixel) : 0);
            int pixels = (int)smaller(WIDE_PIXELS, all - pixel);
            if (j->to_tiles)
                vt__rows_to_tiles(tile, step, image, (size_t)all, (int)lanes, pixels);
            else
                vt__tiles_to_rows(image, (size_t)all, tile, step, (int)lanes, pixels);
        }
}

/* One image of a column in N C H W, a block of lanes and pixels after the other. */
static void move_channels(const job *j, int64_t group, int64_t column, int64_t row) {
    const vta_pack_shape *s = &j->s;
    if (j->wide) {
        move_bytes(j, group, column, row);
        return;
    }
    int64_t n = group * s->rows + row, all = s->h * s->w, side = VT_BLOCK_BYTES / s->element_bytes;
    part p = {.image_step = (size_t)all * s->element_bytes,
              .tile_step = (size_t)(s->rows * s->lanes) * s->element_bytes};
    for (int64_t pixel = 0; pixel < all; pixel += side)
        for (int64_t lane = 0; lane < s->lanes; lane += side) {
            int64_t width = smaller(side, s->lanes - lane), c = column * s->lanes + lane;
            p.lanes = c < s->c ? smaller(width, s->c - c) : 0;
            p.image = p.lanes ? image_at(s, n, c, pixel) : 0;
            p.tile = tile_at(j, group, column, pixel, row, lane);
            p.pixels = smaller(side, all - pixel);
            move_block(j, &p, width);
        }
}

static void copy_all(uint8_t *to, size_t to_step, const uint8_t *from, size_t from_step, size_t size, int64_t count) {
    if (size == VT_BLOCK_BYTES)
        for (; count > 0; count--, to += to_step, from += from_step) memcpy(to, from, VT_BLOCK_BYTES);
    for (; count > 0; count--, to += to_step, from += from_step) copy(to, from, size);
}

/* Where lanes of a pixel lie together: so many copies of `size` bytes, each so far behind the one before. */
static void copy_steps(const job *j, size_t tile, size_t tile_step, size_t image, size_t image_step, size_t size,
                       int64_t count) {
    uint8_t *t = j->tiles + tile, *i = j->images + image;
    if (tile_step == size && image_step == size) {
        size *= (size_t)count;
        memcpy(j->to_tiles ? t : i, j->to_tiles ? i : t, size);
        return;
    }
    if (j->to_tiles)
        copy_all(t, tile_step, i, image_step, size, count);
    else
        copy_all(i, image_step, t, tile_step, size, count);
}

/* One image of several columns in N H W C, all pixels of a column or all columns of a pixel at once. */
static void move_pixels(const job *j, int64_t group, int64_t first, int64_t last, int64_t row) {
    const vta_pack_shape *s = &j->s;
    int64_t n = group * s->rows + row, pixels = s->h * s->w, whole = smaller(last, s->c / s->lanes);
    size_t tile = (size_t)(s->rows * s->lanes) * s->element_bytes, size = (size_t)s->lanes * s->element_bytes;
    size_t pixel = (size_t)s->c * s->element_bytes, rest = (size_t)(s->c % s->lanes) * s->element_bytes;
    for (int64_t p = 0; whole - first > pixels && p < pixels; p++)
        copy_steps(j, tile_at(j, group, first, p, row, 0), tile * (size_t)pixels, image_at(s, n, first * s->lanes, p),
                   size, size, whole - first);
    for (int64_t c = whole - first > pixels ? whole : first; c < last; c++)
        copy_steps(j, tile_at(j, group, c, 0, row, 0), tile, image_at(s, n, c * s->lanes, 0), pixel,
                   c < whole ? size : rest, pixels);
}

/* Tiles that images do not fill begin as zeros: all of the last group's, or those of the last column, whose blocks have
 * zeros in N C H W. */
static void clear(const job *j, int64_t group, int64_t first, int64_t last) {
    const vta_pack_shape *s = &j->s;
    bool full = (group + 1) * s->rows <= s->n;
    if (full && (s->layout == VTA_NCHW || last * s->lanes <= s->c)) return;
    size_t begin = tile_at(j, group, full ? last - 1 : first, 0, 0, 0), end = tile_at(j, group, last, 0, 0, 0);
    memset(j->tiles + begin, 0, end - begin);
}

/* Columns from first to last of one group of images. */
static void move_columns(const job *j, int64_t group, int64_t first, int64_t last) {
    const vta_pack_shape *s = &j->s;
    int64_t rows = smaller(s->rows, s->n - group * s->rows);
    if (j->to_tiles) clear(j, group, first, last);
    for (int64_t row = 0; row < rows; row++) {
        if (s->layout == VTA_NHWC) move_pixels(j, group, first, last, row);
        for (int64_t c = first; s->layout == VTA_NCHW && c < last; c++) move_channels(j, group, c, row);
    }
}

static int run_task(int task, TVMParallelGroupEnv *env, void *data) {
    const job *j = data;
    int64_t all = j->groups * j->columns, tasks = env->num_task, at = all * task / tasks,
            end = all * (task + 1) / tasks;
    while (at < end) {
        int64_t group = at / j->columns, last = smaller(j->columns, end - group * j->columns);
        move_columns(j, group, at % j->columns, last);
        at = group * j->columns + last;
    }
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
    if (s->h == 1 && s->w == 1) s->layout = VTA_NHWC; /* both are the same then */
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
    j.wide = j.s.element_bytes == 1 && j.s.lanes % VT_BLOCK_BYTES == 0 && vt__transpose_is_wide();
    j.tile_bytes = bytes;
    j.image_bytes = (size_t)(j.s.n * j.s.c * j.s.h * j.s.w) * j.s.element_bytes;
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
