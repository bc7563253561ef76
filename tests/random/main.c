/* random_programs: N programs from a seed on; what fails is shrunk and printed as a kernel file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "random/generate.h"
#include "random/reason.h"
#include "random/run.h"
#include "random/shrink.h"
#include "random/text.h"

enum { MAX_REASONS = 512 };

typedef struct tally {
    outcome outcome;
    bool illegal;
    char reason[REASON_LENGTH];
    uint64_t n, first;
} tally;

typedef struct session {
    uint64_t first, n;
    bool text, list, shrink, apart;
    const char *bytes; /* a file of choices, instead of seeds */
    int refused_max;   /* percent; -1: no bound */
    uint64_t count[OUTCOME_COUNT], illegal, large;
    tally tallies[MAX_REASONS];
    int n_tallies;
    choices c;
    program p, trial; /* the one that runs, and a simpler one */
    uint64_t seed;
} session;

static tally *tally_of(session *s, const result *r, bool *out_new) {
    tally wanted = {.outcome = r->outcome, .illegal = s->p.illegal};
    if (r->outcome != OUTCOME_WRONG) reason_of(r->text, wanted.reason);
    *out_new = false;
    for (int i = 0; i < s->n_tallies; i++)
        if (s->tallies[i].outcome == wanted.outcome && s->tallies[i].illegal == wanted.illegal &&
            !strcmp(s->tallies[i].reason, wanted.reason))
            return &s->tallies[i];
    *out_new = true;
    s->tallies[s->n_tallies < MAX_REASONS - 1 ? s->n_tallies++ : MAX_REASONS - 1] = wanted;
    return &s->tallies[s->n_tallies - 1];
}

static void show(const session *s, uint64_t seed, const result *r) {
    printf("\n# seed %llu: %s: %s\n#   vta run FILE.te --check", (unsigned long long)seed, outcome_names[r->outcome],
           r->text);
    for (const char *p = s->p.config; *p;) {
        size_t n = strcspn(p, " ");
        printf(" -s %.*s", (int)n, p);
        p += n + strspn(p + n, " ");
    }
    putchar('\n');
    program_write(&s->p, stdout);
    fflush(stdout);
}

/* The choices of a program: of a seed, or what a fuzzer found. */
static void choose(session *s, uint64_t seed) {
    static uint8_t bytes[MAX_CHOICES];
    if (!s->bytes) {
        choices_from_seed(&s->c, seed);
        return;
    }
    FILE *f = fopen(s->bytes, "rb");
    size_t n = f ? fread(bytes, 1, sizeof bytes, f) : 0;
    if (f) fclose(f);
    choices_from_bytes(&s->c, bytes, n);
}

static bool make_trial(void *user, choices *c) {
    session *s = user;
    generate(c, &s->trial);
    return !s->trial.too_large && s->trial.illegal == s->p.illegal;
}

static void run_trial(void *user, result *out) {
    session *s = user;
    run_apart(&s->trial, s->seed, out);
}

static void take_trial(void *user) {
    session *s = user;
    s->p = s->trial;
}

static void one(session *s, uint64_t seed) {
    const shrink_sort sort = {make_trial, run_trial, take_trial, s};
    result r;
    bool new;
    s->seed = seed;
    choose(s, seed);
    generate(&s->c, &s->p);
    if (s->p.too_large) {
        s->large++;
        return;
    }
    if (s->text) show(s, seed, &(result){0});
    (s->apart ? run_apart : run)(&s->p, seed, &r);
    s->count[r.outcome]++;
    if (r.outcome == OUTCOME_REFUSED && s->p.illegal) s->illegal++;
    if (r.outcome == OUTCOME_RIGHT) return;
    if (s->list) printf("seed %llu %s: %s\n", (unsigned long long)seed, outcome_names[r.outcome], r.text);
    tally *t = tally_of(s, &r, &new);
    if (new) t->first = seed;
    t->n++;
    bool serious = r.outcome > OUTCOME_UNPROVEN;
    if (!serious && !(s->shrink && new)) return;
    if (s->shrink && t->n <= 3) shrink(&s->c, &sort, &r, 1500);
    if (t->n <= 3 || !s->shrink) show(s, seed, &r);
}

static int by_number(const void *a, const void *b) {
    const tally *x = a, *y = b;
    return x->n == y->n ? 0 : x->n < y->n ? 1 : -1;
}

static int report(session *s) {
    uint64_t ran = 0, bad = 0;
    for (int o = 0; o < OUTCOME_COUNT; o++) ran += s->count[o];
    qsort(s->tallies, (size_t)s->n_tallies, sizeof *s->tallies, by_number);
    printf("\nSeeds %llu to %llu: %llu programs ran,", (unsigned long long)s->first,
           (unsigned long long)(s->first + s->n - 1), (unsigned long long)ran);
    for (int o = 0; o < OUTCOME_COUNT; o++)
        printf(" %s %llu%s", outcome_names[o], (unsigned long long)s->count[o], o + 1 < OUTCOME_COUNT ? "," : "");
    printf(" (%llu too large)\n", (unsigned long long)s->large);
    for (int i = 0; i < s->n_tallies; i++)
        printf("%6llu %-8s %s%s (seed %llu)\n", (unsigned long long)s->tallies[i].n,
               outcome_names[s->tallies[i].outcome], s->tallies[i].illegal ? "[as it must] " : "", s->tallies[i].reason,
               (unsigned long long)s->tallies[i].first);
    for (int o = OUTCOME_WRONG; o < OUTCOME_COUNT; o++) bad += s->count[o];
    uint64_t refused = s->count[OUTCOME_REFUSED] - s->illegal;
    printf("refused: %.1f %%\n", ran ? 100.0 * (double)refused / (double)ran : 0);
    refused += s->count[OUTCOME_UNPROVEN];
    return bad || (s->refused_max >= 0 && refused * 100 > ran * (uint64_t)s->refused_max);
}

static int usage(void) {
    fputs("usage: random_programs [OPTION...] FIRST-SEED COUNT\n"
          "       random_programs [OPTION...] --bytes FILE      what fuzz_c_program found\n"
          "  --shrink                what fails is made as small as it fails in the same way\n"
          "  --apart                 each program in a process of its own, which may crash\n"
          "  --text                  print every program before it runs\n"
          "  --list                  print the outcome of every program that is not right\n"
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
        else if (!strcmp(argv[i], "--list"))
            s.list = true;
        else if (!strcmp(argv[i], "--shrink"))
            s.shrink = s.apart = true;
        else if (!strcmp(argv[i], "--apart"))
            s.apart = true;
        else if (!strcmp(argv[i], "--refused-most") && i + 1 < argc)
            s.refused_max = atoi(argv[++i]);
        else if (!strcmp(argv[i], "--bytes") && i + 1 < argc)
            s.bytes = argv[++i];
        else
            return usage();
    }
    if (argc - i != (s.bytes ? 0 : 2)) return usage();
    s.first = s.bytes ? 1 : strtoull(argv[i], NULL, 10);
    s.n = s.bytes ? 1 : strtoull(argv[i + 1], NULL, 10);
    for (uint64_t seed = s.first; seed < s.first + s.n; seed++) one(&s, seed);
    return report(&s);
}
