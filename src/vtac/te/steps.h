/* For the steps of a schedule. Each step is checked, and has all the memory it needs, before the schedule is changed:
 * an axis that is in the list of all axes but in no relation has no effect. */
#ifndef VT_TE_STEPS_H
#define VT_TE_STEPS_H

#include "te/schedule.h"

static inline const char *te__stage_name(const te_stage *st) { return st->origin->name; }
static inline const char *te__axis_name(const vt_iter *axis) { return vt_var_name(axis->var); }
static inline te_context *te__stage_context(const te_stage *st) {
    return vt_is(st, VT_TAG_STAGE) ? st->schedule->c : NULL;
}

/* Position of a loop of the stage; raises what is wrong with an axis that is not one of its loops. */
uint32_t te__loop_at(te_context *c, const te_stage *st, const vt_iter *axis, const char *step);
/* An axis that is a loop of the stage. */
const vt_iter *te__loop_of(te_context *c, const te_stage *st, const te_axis *axis, const char *step);
/* Raise when the axis is bound to a thread; and when it is tensorized, too. */
void te__refuse_bound(te_context *c, const te_stage *st, const vt_iter *axis, const char *step);
void te__refuse_marked(te_context *c, const te_stage *st, const vt_iter *axis, const char *step);
/* Computes a stage at a loop of another one, which needs it; raises. */
void te__attach_at(te_context *c, te_stage *st, te_stage *parent, const vt_iter *at);

#endif
