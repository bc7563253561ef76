/* random_host_programs: N programs of the host, with and without stages on the accelerator between, from a seed on. */
#include <stdlib.h>
#include <string.h>

#include "random/host.h"
#include "random/reason.h"
#include "random/shrink.h"

enum { MAX_REASONS = 512 };

typedef struct tally {
    outcome outcome;
    char reason[REASON_LENGTH];
    uint64_t n, first;
} tally;

typedef struct session {
    uint64_t first, n, seed;
    bool text, shrink, apart;
    int refused_max; /* percent; -1: no bound */
    uint64_t count[OUTCOME_COUNT], with_chip;
    tally tallies[MAX_REASONS];
    int n_tallies;
    choices c;
    host_program p, trial; /* the one that runs, and a simpler one */
} session;

static bool make_trial(void *user, choices *c) {
    session *s = user;
    host_generate(c, &s->trial);
    return true;
}

static void run_body(const void *p, uint64_t seed, result *out) { host_run(p, seed, out); }

static void run_trial(void *user, result *out) {
    session *s = user;
    in_own_process(run_body, &s->trial, s->seed, out);
}

static void take_trial(void *user) {
    session *s = user;
    s->p = s->trial;
}

static bool has_chip(const host_program *p) {
    for (int i = 0; i < p->n; i++)
        if (p->nodes[i].used && p->nodes[i].chip) return true;
    return false;
}

static void show(const session *s, const result *r) {
    printf("\n# seed %llu: %s: %s\n", (unsigned long long)s->seed, outcome_names[r->outcome], r->text);
    host_write(&s->p, strncmp(r->text, "llvm", 4) != 0, stdout);
    fflush(stdout);
}

static tally *tally_of(session *s, const result *r) {
    tally t = {.outcome = r->outcome, .first = s->seed};
    if (r->outcome != OUTCOME_WRONG) reason_of(r->text, t.reason);
    for (int i = 0; i < s->n_tallies; i++)
        if (s->tallies[i].outcome == t.outcome && !strcmp(s->tallies[i].reason, t.reason)) return &s->tallies[i];
    if (s->n_tallies < MAX_REASONS) s->n_tallies++;
    s->tallies[s->n_tallies - 1] = t;
    return &s->tallies[s->n_tallies - 1];
}

static void one(session *s) {
    const shrink_sort sort = {make_trial, run_trial, take_trial, s};
    result r;
    choices_from_seed(&s->c, s->seed);
    host_generate(&s->c, &s->p);
    s->with_chip += has_chip(&s->p);
    if (s->text) show(s, &(result){0});
    if (s->apart)
        in_own_process(run_body, &s->p, s->seed, &r);
    else
        host_run(&s->p, s->seed, &r);
    s->count[r.outcome]++;
    if (r.outcome == OUTCOME_RIGHT) return;
    tally *t = tally_of(s, &r);
    bool new = t->n++ == 0, serious = r.outcome > OUTCOME_UNPROVEN;
    if (!serious && !(s->shrink && new)) return;
    if (s->shrink && t->n <= 3) shrink(&s->c, &sort, &r, 1000);
    if (t->n <= 3 || !s->shrink) show(s, &r);
}

static int by_number(const void *a, const void *b) {
    const tally *x = a, *y = b;
    return x->n == y->n ? 0 : x->n < y->n ? 1 : -1;
}

static int report(session *s) {
    uint64_t bad = 0;
    qsort(s->tallies, (size_t)s->n_tallies, sizeof *s->tallies, by_number);
    printf("\nSeeds %llu to %llu, %llu with stages on the accelerator:", (unsigned long long)s->first,
           (unsigned long long)(s->first + s->n - 1), (unsigned long long)s->with_chip);
    for (int o = 0; o < OUTCOME_COUNT; o++)
        if (o != OUTCOME_UNPROVEN) printf(" %s %llu", outcome_names[o], (unsigned long long)s->count[o]);
    putchar('\n');
    for (int i = 0; i < s->n_tallies; i++)
        printf("%6llu %-8s %s (seed %llu)\n", (unsigned long long)s->tallies[i].n, outcome_names[s->tallies[i].outcome],
               s->tallies[i].reason, (unsigned long long)s->tallies[i].first);
    for (int o = OUTCOME_WRONG; o < OUTCOME_COUNT; o++) bad += s->count[o];
    uint64_t refused = s->count[OUTCOME_REFUSED];
    printf("refused: %.1f %%\n", s->n ? 100.0 * (double)refused / (double)s->n : 0);
    return bad || (s->refused_max >= 0 && refused * 100 > s->n * (uint64_t)s->refused_max);
}

static int usage(void) {
    fputs("usage: random_host_programs [OPTION...] FIRST-SEED COUNT\n"
          "  --shrink                what fails is made as small as it fails in the same way\n"
          "  --apart                 each program in a process of its own, which may crash\n"
          "  --text                  print every program before it runs\n"
          "  --refused-most PERCENT  fail when more are refused\n"
          "Exit codes: 0 all right, 1 a program failed or too many were refused, 2 wrong usage.\n",
          stderr);
    return 2;
}

int main(int argc, char **argv) {
    static session s = {.refused_max = -1};
    int i = 1;
    for (; i < argc && argv[i][0] == '-'; i++) {
        if (!strcmp(argv[i], "--text"))
            s.text = true;
        else if (!strcmp(argv[i], "--shrink"))
            s.shrink = s.apart = true;
        else if (!strcmp(argv[i], "--apart"))
            s.apart = true;
        else if (!strcmp(argv[i], "--refused-most") && i + 1 < argc)
            s.refused_max = atoi(argv[++i]);
        else
            return usage();
    }
    if (argc - i != 2) return usage();
    s.first = strtoull(argv[i], NULL, 10);
    s.n = strtoull(argv[i + 1], NULL, 10);
    for (s.seed = s.first; s.seed < s.first + s.n; s.seed++) one(&s);
    return report(&s);
}
