#include "picture_files.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

bool cli_is_picture(const char *path) {
    static const char *const endings[] = {".jpg", ".jpeg", ".png"};
    size_t n = strlen(path);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t m = strlen(endings[i]);
        if (n >= m && !strcasecmp(path + n - m, endings[i])) return true;
    }
    return false;
}

static int is_picture(const struct dirent *e) { return cli_is_picture(e->d_name); }

/* Takes over `path`, which may be NULL. */
static vta_status add(cli_picture_files *files, char *path) {
    char **more = path ? realloc(files->path, (files->count + 1) * sizeof *more) : NULL;
    if (!more) {
        free(path);
        return VTA_NO_MEMORY;
    }
    files->path = more;
    files->path[files->count++] = path;
    return VTA_OK;
}

static vta_status add_folder(cli_picture_files *files, const char *folder) {
    struct dirent **names;
    char message[512], *path;
    int count = scandir(folder, &names, is_picture, alphasort);
    vta_status status = count > 0 ? VTA_OK : VTA_NOT_FOUND;
    for (int i = 0; i < count; i++) {
        if (asprintf(&path, "%s/%s", folder, names[i]->d_name) < 0) path = NULL;
        if (status == VTA_OK)
            status = add(files, path);
        else
            free(path);
        free(names[i]);
    }
    if (count >= 0) free(names);
    if (count > 0) return status;
    snprintf(message, sizeof message, "%.400s: no folder with .jpg, .jpeg or .png files", folder);
    vta_diag_add(cli_diag(), VTA_ERROR, VTA_NOT_FOUND, message);
    return status;
}

vta_status cli_picture_files_add(cli_picture_files *files, const char *path) {
    struct stat s;
    if (stat(path, &s) == 0 && S_ISDIR(s.st_mode)) return add_folder(files, path);
    return add(files, strdup(path));
}

vta_status cli_picture_files_add_one(cli_picture_files *files, const char *path) { return add(files, strdup(path)); }

void cli_picture_files_free(cli_picture_files *files) {
    for (size_t i = 0; i < files->count; i++) free(files->path[i]);
    free(files->path);
    *files = (cli_picture_files){0};
}
