/* Files of another kind than the command takes: named, with the command that takes them. */
#include <string.h>

#include "cli.h"

typedef struct kind {
    size_t at, size;
    const char *bytes, *ending, *words, *is, *use;
} kind;

static const kind kinds[] = {
#define CLI_FILE(at, bytes, ending, words, is, use) {at, sizeof bytes - 1, bytes, ending, words, is, use},
#include "kinds.def"
};

enum { KINDS = sizeof kinds / sizeof *kinds, FIRST_BYTES = 8 };

static bool ends_in(const char *path, const char *ending) {
    size_t n = strlen(path), e = strlen(ending);
    return e && n > e && !strcmp(path + n - e, ending);
}

/* NULL: of no kind that is known, or not there. The bytes come first: a file may be called anything. */
static const kind *kind_of(const char *path) {
    char begin[FIRST_BYTES];
    FILE *f = fopen(path, "rb");
    if (!f) return NULL;
    size_t n = fread(begin, 1, sizeof begin, f);
    bool failed = ferror(f) != 0; /* a folder */
    fclose(f);
    for (int i = 0; i < KINDS && !failed; i++)
        if (kinds[i].size && n >= kinds[i].at + kinds[i].size &&
            !memcmp(begin + kinds[i].at, kinds[i].bytes, kinds[i].size))
            return &kinds[i];
    for (int i = 0; i < KINDS && !failed; i++)
        if (ends_in(path, kinds[i].ending)) return &kinds[i];
    return NULL;
}

/* Is one of the words in the command's arguments? "MODEL.onnx" is a model that is not compiled; proofs say themselves
 * why. */
static bool takes(const char *arguments, const kind *k) {
    char words[32];
    bool source = strstr(arguments, "MODEL.onnx") && !strstr(arguments, "KERNEL"),
         compiled = !strcmp(k->is, "a compiled network");
    snprintf(words, sizeof words, "%s", k->words);
    for (char *save = NULL, *w = strtok_r(words, " ", &save); w; w = strtok_r(NULL, " ", &save))
        for (const char *at = strstr(arguments, w); at; at = strstr(at + 1, w))
            if (!compiled || !source) return true;
    return false;
}

/* Commands without a word of a kind take files that only they know. */
static bool takes_any(const char *arguments) {
    static const char *const words[] = {"PROGRAM", "MODEL", ".te"};
    if (strstr(arguments, "HOST:PORT")) return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(arguments, words[i])) return true;
    return false;
}

int cli_check_kinds(const cli_command *command, int argc, char **argv) {
    for (int i = 0; takes_any(command->arguments) && i < argc; i++) {
        const kind *k = kind_of(argv[i]);
        if (!k || takes(command->arguments, k)) continue;
        const char *file = strstr(k->use, "FILE");
        char use[2048];
        size_t n = 0;
        for (const char *from = k->use; n < sizeof use; from = file + 4, file = strstr(from, "FILE")) {
            n += (size_t)snprintf(use + n, sizeof use - n, "%.*s%.900s", (int)(file ? (size_t)(file - from) : 200),
                                  from, file ? argv[i] : "");
            if (!file) break;
        }
        cli_fail(VTA_INVALID_ARGUMENT, "vta %s takes %s; %.200s is %s: %s", command->name, command->arguments, argv[i],
                 k->is, use);
        return cli_finish(VTA_INVALID_ARGUMENT);
    }
    return -1;
}
