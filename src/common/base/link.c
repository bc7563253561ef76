#include "base/link.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/spawn.h"

static const struct linker {
    const char *begin, *inside, *program;
} linkers[] = {
#define VT_LINKER(begin, inside, program) {begin, inside, program},
#include "base/linkers.def"
#undef VT_LINKER
};

enum { LINKERS = sizeof linkers / sizeof *linkers, WORDS_MAX = 16, CHOSEN_BYTES = 512 };

static bool fits(const struct linker *l, const char *triple) {
    return strncmp(triple, l->begin, strlen(l->begin)) == 0 && strstr(triple, l->inside);
}

/* One attempt: what is linked, what was tried so far, what the last program said. */
typedef struct attempt {
    const char *object, *output;
    vt_strbuf tried, said, later; /* which were; what the first one said, and the last */
    const char *program;          /* the first one that was there */
    int code;                     /* 0: it is linked */
} attempt;

/* Runs a linker; false when this machine has none of the name. `program` may hold options after the name. */
static bool run(attempt *t, const char *program) {
    char words[CHOSEN_BYTES];
    const char *argv[WORDS_MAX + 5];
    size_t n = 0;
    if (strlen(program) >= sizeof words) return false;
    strcpy(words, program);
    for (char *save = NULL, *w = strtok_r(words, " ", &save); w && n < WORDS_MAX; w = strtok_r(NULL, " ", &save))
        argv[n++] = w;
    if (n == 0) return false;
    vt_strbuf_addf(&t->tried, "%s%s", t->tried.size ? ", " : "", argv[0]);
    argv[n++] = "-shared";
    argv[n++] = "-o";
    argv[n++] = t->output;
    argv[n++] = t->object;
    argv[n] = NULL;
    vt_strbuf *to = t->program ? &t->later : &t->said;
    vt_strbuf_clear(to);
    int code, error = vt_spawn(argv, to, &code);
    if (error == ENOENT) return false;
    if (error) vt_strbuf_addf(to, "cannot be started: %s", strerror(error));
    t->code = error ? -1 : code;
    return true;
}

/* One that is there and fails is not the end: a compiler may lack what it needs where a plain linker does not. What is
 * told of, when all fail, is the first. */
static void attempt_with(attempt *t, const char *program) {
    if (program && run(t, program) && !t->program) t->program = program;
}

/* What the linker said, without the last line ends. */
static const char *said(attempt *t) {
    while (t->said.size && t->said.text[t->said.size - 1] == '\n') t->said.text[--t->said.size] = '\0';
    return t->said.size ? vt_strbuf_text(&t->said) : "(it gives no reason)";
}

vta_status vt_link_shared(const vta_allocator *a, const char *name, const char *object, const char *triple,
                          const char *first, const char *output, vta_diag *diag) {
    attempt t = {.object = object, .output = output, .code = -1};
    vt_strbuf_init(&t.tried, a);
    vt_strbuf_init(&t.said, a);
    vt_strbuf_init(&t.later, a);
    attempt_with(&t, first);
    bool chosen = t.program; /* and no other is meant */
    for (size_t i = 0; i < LINKERS && t.code && !chosen; i++)
        if (fits(&linkers[i], triple ? triple : "native")) attempt_with(&t, linkers[i].program);
    vta_status status = VTA_OK;
    if (!t.program)
        status = vt_fail(diag, VTA_UNSUPPORTED,
                         "%s: no linker for %s on this machine (tried %s): install one (binutils or a C compiler), or "
                         "link it with -shared where there is one",
                         name, triple ? triple : "its own code", vt_strbuf_text(&t.tried));
    else if (t.code)
        status = vt_fail(diag, VTA_PARSE, "%s: %s cannot link it: %s", name, t.program, said(&t));
    vt_strbuf_free(&t.tried);
    vt_strbuf_free(&t.said);
    vt_strbuf_free(&t.later);
    return status;
}
