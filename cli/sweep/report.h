/* Results of sweeps for people and programs: tables, fronts, pictures. */
#ifndef CLI_SWEEP_REPORT_H
#define CLI_SWEEP_REPORT_H

#include "result.h"

/* What can be best: less is better. */
typedef enum objective { BY_SECONDS, BY_CYCLES, BY_AREA, BY_ENERGY, OBJECTIVE_COUNT } objective;
typedef struct objectives {
    objective item[OBJECTIVE_COUNT];
    size_t count;
} objectives;
/* "cycles,area"; NULL: seconds and area. */
vta_status objectives_read(const char *text, objectives *out);
const char *objective_name(objective o);
double objective_of(const result *r, objective o);

/* A machine over all subjects: sums of time, cycles and energy; its area. */
typedef struct result_group {
    const char *machine, *device; /* of its first result */
    bool is_measured;             /* on servers: a group apart from what was computed */
    double value[OBJECTIVE_COUNT];
    size_t count;  /* subjects */
    bool complete; /* none of them was refused or is missing, and all objectives are known */
    bool pareto;
} result_group;
typedef struct result_groups {
    result_group *item;
    size_t count, subjects;
} result_groups;
/* Sorts the results by machine, and groups them; only complete groups are on the front. Free `out->item`. */
vta_status results_group(result_list *list, const objectives *by, result_groups *out);

/* Marks the results that no other one of their subject beats in both time and area. */
void results_mark_pareto(result_list *list);
/* Prints all, the fastest of each subject first; and the picture to `svg` unless it is NULL. VTA_UNSUPPORTED: none of
 * them has numbers. */
vta_status results_report(result_list *list, bool json, const char *svg, const char *title);
/* Prints groups: all, or those of the front; at most `limit`. */
void results_print_groups(const result_groups *groups, const objectives *by, bool front, size_t limit, bool json);
/* A row a result, with the names of the columns first. */
void results_print_csv(const result_list *list, FILE *out);

/* The results of one subject, area to the right, time upwards, both in steps of factors; free(). NULL: no memory. */
char *results_svg(const result_list *list, const char *title);
/* A page with everything: front, filters, layers by machine; free(). NULL: no memory. */
char *results_html(const result_list *list, const char *title);

#endif
