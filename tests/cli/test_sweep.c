/* vta sweep: which machines none beats, the table, and the picture, whose marks and labels are read back: each must
 * stand where its value is on a logarithmic axis. */
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/tool.h"

enum { MAX = 64 };

static char folder[] = "/tmp/vta_sweep_XXXXXX";

typedef struct machine {
    char name[64];
    double cycles, seconds, area;
    bool best;
} machine;

/* A position as a function of a value's logarithm. */
typedef struct line {
    double at, slope;
} line;

static void put(const char *name, const char *text, mode_t mode) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    assert_int_equal(chmod(path, mode), 0);
}

static int begin(void **state) {
    (void)state;
    char text[4096];
    unsetenv("VTA_CONFIG");
    if (!mkdtemp(folder)) return -1;
    snprintf(text, sizeof text, "cp %s/examples/matmul.te %s/examples/vector_add.te %s", VT_SOURCE_DIR, VT_SOURCE_DIR,
             folder);
    if (system(text)) return -1;
    /* A Yosys whose Nth answer is 1000 N lookup tables, 10 N flip-flops and 2048 bits of memory. */
    snprintf(text, sizeof text,
             "#!/bin/sh\necho >> %s/calls; n=$(wc -l < %s/calls)\n"
             "while [ $# -gt 0 ]; do [ \"$1\" = -p ] && script=$2; shift; done\n"
             "to=$(echo \"$script\" | sed 's/.*tee -q -o \\([^ ]*\\) stat.*/\\1/')\n"
             "[ $n = 3 ] && { echo no room >&2; exit 1; }\n"
             "printf '=== vta_top ===\\n\\n   Number of memory bits:  2048\\n  $lut %%d\\n  $_DFF_P_ %%d\\n' "
             "$((n * 1000)) $((n * 10)) > $to\n",
             folder, folder);
    put("yosys", text, 0755);
    snprintf(text, sizeof text, "%s:%s", folder, getenv("PATH"));
    setenv("PATH", text, 1);
    snprintf(text, sizeof text, "%s/cache", folder);
    setenv("VTA_HARDWARE_CACHE", text, 1);
    return 0;
}

static int end(void **state) {
    (void)state;
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

static void runs(const char *args, int code) {
    int got = vta_in(folder, args);
    if (got != code) fail_msg("vta %s: exit code %d, not %d\n%s", args, got, code, output);
}

static double number(const json_t *o, const char *key) {
    const json_t *value = json_object_get(o, key);
    if (!json_is_number(value)) fail_msg("no number \"%s\" in\n%s", key, output);
    return json_number_value(value);
}

/* Reads the machines of `vta sweep ARGS --json`, which has written FILE.svg. */
static int machines_of(const char *args, machine *out) {
    char text[512];
    snprintf(text, sizeof text, "sweep %s --json --svg x.svg", args);
    runs(text, 0);
    char *last = strrchr(output, ']'); /* then what was written is said */
    assert_non_null(last);
    last[1] = 0;
    json_t *j = output_json();
    int n = 0;
    for (size_t i = 0; i < json_array_size(j); i++) {
        const json_t *o = json_array_get(j, i);
        if (json_object_get(o, "error")) continue;
        machine *m = &out[n++];
        snprintf(m->name, sizeof m->name, "%s", json_string_value(json_object_get(o, "machine")));
        m->cycles = number(o, "cycle_count");
        m->seconds = number(o, "seconds");
        m->area = number(o, "area");
        m->best = json_is_true(json_object_get(o, "pareto"));
    }
    json_decref(j);
    return n;
}

static void check_best(const machine *m, int n) {
    for (int i = 0; i < n; i++) {
        bool beaten = false;
        for (int k = 0; k < n; k++)
            beaten |= m[k].seconds <= m[i].seconds && m[k].area <= m[i].area &&
                      (m[k].seconds < m[i].seconds || m[k].area < m[i].area);
        if (beaten == m[i].best)
            fail_msg("%s: %s", m[i].name, beaten ? "beaten, but best" : "not beaten, and not best");
    }
}

static double at(line l, double value) { return l.at + l.slope * log(value); }

/* The circle of a machine. */
static void circle_of(const char *svg, const machine *m, double *x, double *y) {
    char title[128], kind[16];
    snprintf(title, sizeof title, "<title>%.60s: ", m->name);
    const char *end_of = strstr(svg, title), *begin_of = end_of;
    if (!end_of) fail_msg("no circle of %s in\n%s", m->name, svg);
    while (strncmp(begin_of, "<circle", 7)) begin_of--;
    assert_int_equal(sscanf(begin_of, "<circle class=\"%15[a-z]\" cx=\"%lf\" cy=\"%lf\"", kind, x, y), 3);
    assert_string_equal(kind, m->best ? "best" : "point");
    double ms, area;
    assert_int_equal(sscanf(end_of + strlen(title), "%lf ms, area %lf million", &ms, &area), 2);
    assert_true(fabs(ms - 1e3 * m->seconds) < 0.00051 && fabs(area - 1e-6 * m->area) < 0.00051);
    assert_true(*x > 76 && *x < 670 && *y > 46 && *y < 424);
}

static line through(double a, double at_a, double b, double at_b) {
    double slope = (at_b - at_a) / (log(b) - log(a));
    return (line){at_a - slope * log(a), slope};
}

/* Labels stand where circles of their value would; there are some, and not too many, and their steps are even or 1,
 * 2, 5. */
static void check_axis(const char *svg, line l, double unit, bool horizontal) {
    double labels[64];
    int n = 0;
    for (const char *p = svg; (p = strstr(p, "<path class=\"grid\"")); p++) {
        double x, y, value;
        bool vertical =
            sscanf(p, "<path class=\"grid\" d=\"M%lf 46V424\"/><text x=\"%*f\" y=\"442\" text-anchor=\"middle\">%lf<",
                   &x, &value) == 2;
        if (!vertical) {
            assert_int_equal(
                sscanf(p, "<path class=\"grid\" d=\"M76 %lfH670\"/><text x=\"68\" y=\"%*f\" text-anchor=\"end\">%lf<",
                       &y, &value),
                2);
        }
        if (vertical != horizontal) continue;
        double place = vertical ? x : y, expected = at(l, value * unit);
        if (fabs(place - expected) > 1) fail_msg("%g is at %g, and not at %g", value, place, expected);
        assert_true(vertical ? place >= 76 && place <= 670 : place >= 46 && place <= 424);
        labels[n++] = value;
    }
    assert_true(n >= 2 && n <= 12);
    bool even = true, round = true;
    for (int i = 0; i < n; i++) {
        double digits = labels[i] / pow(10, floor(log10(labels[i]) + 1e-9));
        round &= fabs(digits - 1) < 0.01 || fabs(digits - 2) < 0.01 || fabs(digits - 5) < 0.01;
        even &= i < 2 || fabs(labels[i] - 2 * labels[i - 1] + labels[i - 2]) < 1e-3 * labels[i];
        assert_true(i == 0 || labels[i] > labels[i - 1]);
    }
    assert_true(even || round);
}

static const char *picture(void) {
    char command[128];
    snprintf(command, sizeof command, "cat %s/x.svg", folder);
    assert_int_equal(shell(command), 0);
    return output;
}

static void check_picture(const machine *m, int n) {
    double x[MAX], y[MAX];
    const char *svg = picture();
    int a = 0, b = 0, c = 0, d = 0;
    for (int i = 0; i < n; i++) {
        circle_of(svg, &m[i], &x[i], &y[i]);
        if (m[i].area < m[a].area) a = i;
        if (m[i].area > m[b].area) b = i;
        if (m[i].seconds < m[c].seconds) c = i;
        if (m[i].seconds > m[d].seconds) d = i;
    }
    line across = through(m[a].area, x[a], m[b].area, x[b]), down = through(m[c].seconds, y[c], m[d].seconds, y[d]);
    assert_true(across.slope > 0 && down.slope < 0); /* slower is higher */
    for (int i = 0; i < n; i++)
        assert_true(fabs(at(across, m[i].area) - x[i]) < 0.2 && fabs(at(down, m[i].seconds) - y[i]) < 0.2);
    check_axis(svg, across, 1e6, true);
    check_axis(svg, down, 1e-3, false);
}

static void check_table(const char *args, const machine *m, int n) {
    char text[512];
    snprintf(text, sizeof text, "sweep %s", args);
    runs(text, 0);
    const char *p = output;
    for (int i = 0; i < n; i++) { /* in the order of the JSON */
        snprintf(text, sizeof text, "\n%.60s ", m[i].name);
        if (!(p = strstr(p, text))) fail_msg("%s is not in its place in\n%s", m[i].name, output);
        double cycles, ms, area;
        char best[8] = "";
        assert_int_equal(
            sscanf(p + strlen(text), "%lf %lf %*f%% %*f%% %*f%% %*f %*f %lfM%7[ *]", &cycles, &ms, &area, best), 4);
        assert_true(cycles == m[i].cycles && fabs(ms - 1e3 * m[i].seconds) < 0.00051);
        assert_true(fabs(area - 1e-6 * m[i].area) < 0.00051);
        assert_int_equal(strchr(best, '*') != NULL, m[i].best);
    }
}

TEST_CASE(machines_are_compared_and_drawn) {
    static const struct {
        const char *args;
        int count;
    } rows[] = {
        {"matmul.te -v bus_bits=64,128,256 -v LOG_BLOCK=4,5", 6},
        {"vector_add.te -v bus_bits=64,128 -v LOG_INP_BUFF_SIZE=13,14,15", 6},
        {"matmul.te -v bus_bits=64,128,256,512 -v delay=0,16,60,200", 16},
        {"vector_add.te -v bus_bits=64,512 -v delay=1,400 -v LOG_WGT_BUFF_SIZE=15,17,18", 12},
    };
    machine m[MAX];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int n = machines_of(rows[i].args, m);
        if (n != rows[i].count) fail_msg("%s: %d machines, not %d", rows[i].args, n, rows[i].count);
        check_best(m, n);
        for (int k = 1; k < n; k++) assert_true(m[k].seconds >= m[k - 1].seconds); /* the fastest first */
        check_picture(m, n);
        check_table(rows[i].args, m, n);
    }
}

/* Areas that Yosys counts: lookup tables, flip-flops, a tenth of each bit of memory. The third call fails: its machine
 * is left out with the reason. */
TEST_CASE(areas_of_yosys) {
    machine m[MAX];
    int n = machines_of("vector_add.te -v bus_bits=64,128,256 --area synth", m);
    assert_int_equal(n, 2);
    double areas[2] = {m[0].area < m[1].area ? m[0].area : m[1].area, m[0].area < m[1].area ? m[1].area : m[0].area};
    assert_true(fabs(areas[0] - (1010 + 204.8)) < 0.1);
    assert_true(fabs(areas[1] - (2020 + 204.8)) < 0.1);
    check_best(m, n);
    runs("sweep vector_add.te -v bus_bits=64,128,256 --area synth",
         0); /* what was made is kept; the third is tried again */
    assert_contains(output, "bus_bits=64 ");
}

int main(void) { return run_cases_between(begin, end); }
