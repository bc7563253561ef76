/* Groups of stages. */
#ifndef VT_TE_GROUP_H
#define VT_TE_GROUP_H

#include "te/schedule.h"

/* Stages, and other groups, that are computed together. */
struct te_group {
    vt_tag tag;
    te_schedule *schedule;
    te_group *group; /* around it; NULL: none */
    te__attach attach;
    te_stage *at_stage;
    const vt_iter *at_axis;
    vt_pos at_pos;
    const te_stage *scan; /* its stages are what this one computes a row with; NULL: made by te_group_create */
};

/* Is the stage in the group, or in one inside of it? Everything is where there is no group. A scan is in the group of
 * what it computes its rows with. */
bool te__group_holds(const te_group *g, const te_stage *st);
/* One group for each scan. */
void te__groups_of_scans(te_schedule *s);
void te__groups_copy(te_schedule *to, const te_schedule *from);
/* Computes the stages of groups where their groups are computed. */
void te__place_groups(te_schedule *s);

#endif
