/* Sets of priors: of the light face detectors for any input, and of the SSDs that pytorch-ssd trains. */
#include "detect/priors.h"

#include <math.h>

#define PAIR(least, most) {least, -(most)}
static const vt_priors sets[] = {
    /* faces, ssd300 of VGG, MobileNet */
    {true,
     0,
     4,
     {{0, 8, {10, 16, 24}, {0}}, {0, 16, {32, 48}, {0}}, {0, 32, {64, 96}, {0}}, {0, 64, {128, 192, 256}, {0}}}},
    {false,
     300,
     6,
     {{38, 8, PAIR(30, 60), {2}},
      {19, 16, PAIR(60, 111), {2, 3}},
      {10, 32, PAIR(111, 162), {2, 3}},
      {5, 64, PAIR(162, 213), {2, 3}},
      {3, 100, PAIR(213, 264), {2}},
      {1, 300, PAIR(264, 315), {2}}}},
    {false,
     300,
     6,
     {{19, 16, PAIR(60, 105), {2, 3}},
      {10, 32, PAIR(105, 150), {2, 3}},
      {5, 64, PAIR(150, 195), {2, 3}},
      {3, 100, PAIR(195, 240), {2, 3}},
      {2, 150, PAIR(240, 285), {2, 3}},
      {1, 300, PAIR(285, 330), {2, 3}}}},
};

static uint32_t cells(const vt_prior_level *l, uint32_t side) {
    return l->cells ? l->cells : (uint32_t)ceil(side / l->stride);
}

static uint32_t per_cell(const vt_prior_level *l) {
    uint32_t n = 0;
    for (size_t i = 0; i < VT_PRIOR_SIZES && l->size[i] != 0; i++) n++;
    for (size_t i = 0; i < VT_PRIOR_RATIOS && l->ratio[i] != 0; i++) n += 2;
    return n;
}

const vt_priors *vt__find_priors(uint32_t height, uint32_t width, uint32_t rows) {
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        const vt_priors *p = &sets[i];
        uint64_t count = 0;
        if (p->side && (height != p->side || width != p->side)) continue;
        for (uint32_t k = 0; k < p->levels; k++)
            count += (uint64_t)cells(&p->level[k], height) * cells(&p->level[k], width) * per_cell(&p->level[k]);
        if (count == rows) return p;
    }
    return NULL;
}

/* ---- One after the other ---- */

typedef struct place {
    vt_take_prior *take;
    void *user;
    uint32_t row;
    double x, y, height, width; /* the cell's middle; the input in pixels */
} place;

static double share(double x) { return x < 0 ? 0 : x > 1 ? 1 : x; }

static void give(place *p, double w, double h) {
    p->take(p->user, p->row++, share(p->x), share(p->y), share(w / p->width), share(h / p->height));
}

static void give_cell(const vt_prior_level *l, place *p) {
    for (size_t i = 0; i < VT_PRIOR_SIZES && l->size[i] != 0; i++) {
        double side = l->size[i] > 0 ? l->size[i] : sqrt(-l->size[i] * l->size[0]);
        give(p, side, side);
    }
    for (size_t i = 0; i < VT_PRIOR_RATIOS && l->ratio[i] != 0; i++) {
        double root = sqrt(l->ratio[i]);
        give(p, l->size[0] * root, l->size[0] / root);
        give(p, l->size[0] / root, l->size[0] * root);
    }
}

void vt__each_prior(const vt_priors *priors, uint32_t height, uint32_t width, vt_take_prior *take, void *user) {
    place p = {.take = take, .user = user, .height = height, .width = width};
    for (uint32_t k = 0; k < priors->levels; k++) {
        const vt_prior_level *l = &priors->level[k];
        uint32_t down = cells(l, height), across = cells(l, width);
        for (uint32_t y = 0; y < down; y++)
            for (uint32_t x = 0; x < across; x++) {
                p.x = (x + 0.5) * l->stride / width;
                p.y = (y + 0.5) * l->stride / height;
                give_cell(l, &p);
            }
    }
}
