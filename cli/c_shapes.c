#include "c_shapes.h"

#include <string.h>

/* The length of the name in "NAME=1,3,224,224"; 0: it has none. */
static size_t name_length(const char *text) {
    const char *is = strrchr(text, '=');
    return is ? (size_t)(is - text) : 0;
}

static bool is_of_same_input(const char *a, const char *b) {
    size_t n = name_length(a);
    return n == name_length(b) && !memcmp(a, b, n);
}

/* How many of the first `end` options are of the same input as `text`. */
static size_t times(const cli_list *shapes, int end, const char *text) {
    size_t n = 0;
    for (int i = 0; i < end; i++) n += is_of_same_input(shapes->item[i], text);
    return n;
}

size_t cli_shapes_count(const cli_graph *g) {
    size_t most = 1;
    for (int i = 0; i < g->shapes.count; i++) {
        size_t n = times(&g->shapes, i + 1, g->shapes.item[i]);
        if (n > most) most = n;
    }
    return most;
}

void cli_shapes_at(const cli_graph *g, size_t index, cli_graph *out) {
    *out = *g;
    out->shapes.count = 0;
    for (int i = 0; i < g->shapes.count; i++) {
        const char *text = g->shapes.item[i];
        size_t all = times(&g->shapes, g->shapes.count, text), at = times(&g->shapes, i, text);
        if (at == (index < all ? index : all - 1)) out->shapes.item[out->shapes.count++] = text;
    }
}
