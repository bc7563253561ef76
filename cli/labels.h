/* Names of classes, and which picture is of which class. */
#ifndef CLI_LABELS_H
#define CLI_LABELS_H

#include "cli.h"

/* Names by number of the class. */
typedef struct cli_names {
    char *text; /* of the file; names point into it */
    const char **name;
    size_t count;
} cli_names;

/* Reads the names of "imagenet" or "coco", or a file of names: one a line, or a JSON array of texts, or a dictionary
 * {0: 'tench', ...}. */
vta_status cli_names_read(const char *path, cli_names *out_names);
/* The same of a text in memory; `path` stands for it in messages. */
vta_status cli_names_parse(const char *path, const void *text, size_t size, cli_names *out_names);
/* As a JSON array. */
json_t *cli_names_json(const cli_names *names);
void cli_names_free(cli_names *names);
/* The name of class `index`; NULL when there is none. */
const char *cli_name_of(const cli_names *names, int64_t index);

/* Pictures with their classes, from a table of lines "file,class" under a heading. */
typedef struct cli_labels {
    char *text;
    struct cli_label {
        const char *file;
        int64_t class;
    } *item;
    size_t count;
    char **own; /* names that do not point into the text */
} cli_labels;

vta_status cli_labels_read(const char *path, cli_labels *out_labels);
/* The pictures in the folders of a folder, each folder a class: its number where all are numbers, its place in `names`
 * where all are there, else their alphabetical order. Gives how many folders there are where that order counts, else 0.
 */
vta_status cli_labels_of_folders(const char *path, const cli_names *names, cli_labels *out_labels, size_t *out_ordered);
void cli_labels_free(cli_labels *labels);

/* The `most` highest of `count` scores, best first; the lower number first of equal ones. Gives how many there are. */
size_t cli_top(const float *scores, size_t count, size_t most, size_t *out_top);

#endif
