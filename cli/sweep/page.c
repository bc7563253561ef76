/* The page of vta results: page/results.html, which is embedded when the tool is built (cmake/embed.cmake), with the
 * results written into it as data. */
#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "results_page.h"

/* As text in which no "<" ends the page's script; free() it. */
static char *data_of(const result_list *list, const char *title) {
    json_t *rows = json_array();
    for (size_t i = 0; i < list->count; i++) json_array_append_new(rows, result_json(&list->item[i], false));
    json_t *root = json_pack("{s:s, s:o}", "title", title, "results", rows);
    char *text = root ? json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(9)) : NULL;
    json_decref(root);
    for (char *at = text; at && (at = strchr(at, '<'));) *at = ' ';
    return text;
}

static void put(FILE *to, const char *begin, const char *title, const char *data) {
    if (strncmp(begin, "{{data", 6) == 0)
        fputs(data, to);
    else
        for (const char *c = title; *c; c++) fputc(*c == '<' || *c == '&' ? ' ' : *c, to);
}

char *results_html(const result_list *list, const char *title) {
    char *page = NULL, *data = data_of(list, title);
    size_t size;
    FILE *to = data ? open_memstream(&page, &size) : NULL;
    const char *at = vt_results_html, *open;
    for (; to && (open = strstr(at, "{{")) != NULL; at = strstr(open, "}}") + 2) {
        fwrite(at, 1, (size_t)(open - at), to);
        put(to, open, title, data);
    }
    bool complete = to && fputs(at, to) >= 0;
    if (to && fclose(to) != 0) complete = false;
    free(data);
    if (complete) return page;
    free(page);
    return NULL;
}
