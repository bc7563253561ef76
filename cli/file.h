/* Files of the commands, and the instruction streams in them. */
#ifndef CLI_FILE_H
#define CLI_FILE_H

#include "cli.h"

/* Reads a file whole ("-": standard input); the bytes are followed by a 0 and freed with free. */
vta_status cli_read_file(const char *path, char **out_bytes, size_t *out_size);
/* Writes one (NULL or "-": standard output), completely or not at all: vta_file_write. */
vta_status cli_write_file(const char *path, const void *bytes, size_t size);
/* The name of a file without its folder; borrowed from `path`. */
const char *cli_base_name(const char *path);
/* `path` with its ending (".onnx") replaced by `ending`, or with that added; NULL: no memory. free() it. */
char *cli_with_ending(const char *path, const char *ending);
/* Writes a JSON value, indented, and frees it. */
vta_status cli_write_json(const char *path, json_t *value);
/* Whether the path is a program (a folder, or a file with the program's first bytes), not a bare stream. */
bool cli_is_program(const char *path);

#endif
