/* What values index expressions take, for the last check of what was emitted. On purpose not the analyzer of arith/,
 * with which the passes have decided what they emitted: sums of variables with known ranges, and a proof by cases.
 *
 * A place in the function is a path of binders, outermost first: loops, lets, conditions. A value is a sum of variables
 * (loops' and, for lets whose value is not a sum, atoms that stand for it) plus a rest somewhere in an interval. A
 * condition that the sums do not decide is decided by cutting loops in two and looking at both halves, down to single
 * iterations, where every value is exact: so "broken" comes with the iteration that breaks it. */
#ifndef VT_TARGET_VTA_VERIFY_RANGE_H
#define VT_TARGET_VTA_VERIFY_RANGE_H

#include "ir/node.h"

enum { VT_FORM_VARS = 24, VT_PATH_MAX = 64, VT_LETS_MAX = 8 };

/* c + sum of k[i] * variable i + something in [lo, hi]. */
typedef struct vt_form {
    int64_t c, lo, hi;
    uint64_t bent; /* loops (a bit each, by binder) that the rest depends on: cutting them makes it smaller */
    uint32_t n;    /* variables that may have a coefficient */
    bool unknown;  /* depends on what has no known range */
    int64_t k[VT_FORM_VARS];
} vt_form;

/* What is known after the binders up to one. */
typedef struct vt_path_state {
    uint32_t vars; /* that have a number */
    bool empty;    /* nothing runs here */
    bool certain;  /* all of the ranges do run: no condition or bound is open */
    uint64_t open; /* loops that decide what is open */
} vt_path_state;

typedef enum vt_binder_kind { VT_BINDER_LOOP, VT_BINDER_LET, VT_BINDER_IF } vt_binder_kind;

typedef struct vt_binder {
    vt_binder_kind kind;
    bool holds;             /* IF: the condition is true inside, else false */
    const vt_var *var;      /* LOOP, LET */
    const vt_expr *value;   /* LOOP: its first value; LET: the value; IF: the condition */
    const vt_expr *extent;  /* LOOP */
    int64_t cut_lo, cut_hi; /* LOOP: the part that is looked at */
    uint32_t index;         /* LOOP, or LET that became an atom: the variable's number; else VT_FORM_VARS */
    vt_form form;           /* LET */
    vt_path_state before;
} vt_binder;

/* A place. Zeroed to begin with; lives as long as a walk, which pushes and pops. */
typedef struct vt_path {
    uint32_t n;
    bool overflow; /* was once deeper than can be followed: nothing is known there */
    vt_path_state now;
    int64_t lo[VT_FORM_VARS], hi[VT_FORM_VARS];
    uint64_t mask[VT_FORM_VARS];       /* loops that a variable depends on: itself, or those of an atom */
    const vt_expr *atom[VT_FORM_VARS]; /* what an atom is the value of; NULL: a loop */
    uint32_t let_count;                /* lets inside of the expression that is being looked at */
    const vt_var *let_vars[VT_LETS_MAX];
    vt_form let_forms[VT_LETS_MAX];
    vt_binder binders[VT_PATH_MAX + 1];
} vt_path;

void vt__path_begin(vt_path *p);
void vt__path_loop(vt_path *p, const vt_var *var, const vt_expr *min, const vt_expr *extent);
void vt__path_let(vt_path *p, const vt_var *var, const vt_expr *value);
void vt__path_if(vt_path *p, const vt_expr *condition, bool holds);
void vt__path_pop(vt_path *p);
/* Looks at one part of a loop only, by its binder's number, or at all of it. */
void vt__path_cut(vt_path *p, uint32_t binder, int64_t lo, int64_t hi);
void vt__path_whole(vt_path *p, uint32_t binder);
/* A loop's range as it is cut; false when it has none that is known. */
bool vt__path_range(const vt_path *p, uint32_t binder, int64_t *out_lo, int64_t *out_hi);

/* The value of an integer expression at the path. */
vt_form vt__form_of(vt_path *p, const vt_expr *e);
vt_form vt__form_const(int64_t c);
vt_form vt__form_add(const vt_form *x, const vt_form *y, int64_t factor); /* x + factor * y */
vt_form vt__form_mul(const vt_path *p, const vt_form *x, const vt_form *y);
int64_t vt__form_least(const vt_path *p, const vt_form *f);
int64_t vt__form_max(const vt_path *p, const vt_form *f);
/* The same constant everywhere? */
bool vt__form_is_const(const vt_path *p, const vt_form *f, int64_t *out_value);

typedef enum vt_truth { VT_BROKEN, VT_HOLDS, VT_OPEN } vt_truth;
/* Is a condition true in all iterations of the path, or in none? */
vt_truth vt__path_truth(vt_path *p, const vt_expr *condition);

/* What must hold at a place, but is not plain there: `value` >= 0 wherever `when` >= 1. */
typedef struct vt_demand {
    vt_form value, when;
    const void *tag; /* the caller's: what it is about */
} vt_demand;
enum { VT_DEMANDS_MAX = 24 };
typedef struct vt_demands {
    uint32_t n;
    vt_demand items[VT_DEMANDS_MAX];
} vt_demands;
/* value >= 0, everywhere or (when not NULL) where when >= 1. Kept only where it is not plainly so. */
void vt__demand(vt_path *p, vt_demands *out, const vt_form *value, const vt_form *when, const void *tag);
/* least <= value <= most, in the same way; the tags are for either side. */
void vt__demand_between(vt_path *p, vt_demands *out, const vt_form *value, int64_t least, int64_t most,
                        const void *below, const void *above);

/* Does all that `make` demands hold in every iteration of the path? `make` is called for the path as it is cut. BROKEN:
 * *out_tag is what does not, and the path stays cut to iterations where it does not, until vt__path_uncut. OPEN: it
 * cannot be told, because something is unknown or there are too many cases. */
vt_truth vt__prove(vt_path *p, void (*make)(void *user, vt_path *p, vt_demands *out), void *user, const void **out_tag);
void vt__path_uncut(vt_path *p);

#endif
