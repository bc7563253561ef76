#include "slurm.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "file.h"

/* As one word of the shell. */
static void put_word(FILE *to, const char *word) {
    putc('\'', to);
    for (; *word; word++)
        if (*word == '\'')
            fputs("'\\''", to);
        else
            putc(*word, to);
    putc('\'', to);
}

/* Options that are of the submission, and how many words they take, the value included. */
static int is_ours(const char *word) {
    static const char *const valued[] = {"--slurm", "--tasks", "--out", "-o", "--shard"};
    if (!strcmp(word, "--dry-run")) return 1;
    for (size_t i = 0; i < sizeof valued / sizeof *valued; i++) {
        size_t n = strlen(valued[i]);
        if (!strcmp(word, valued[i])) return 2;
        if (!strncmp(word, valued[i], n) && (word[1] != '-' || word[n] == '=')) return 1; /* -oFILE, --out=FILE */
    }
    return 0;
}

static vta_status find_tool(char path[4096]) {
    ssize_t n = readlink("/proc/self/exe", path, 4095);
    if (n <= 0) return cli_fail(VTA_IO, "--slurm: the path of this tool is not known: /proc is not there");
    path[n] = 0;
    return VTA_OK;
}

static char *script(const sweep_slurm *s, const char *tool, const char *out, int argc, char *const *argv) {
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    if (!to) return NULL;
    fputs("#!/bin/sh\nexec ", to);
    put_word(to, tool);
    for (int i = 0; i < argc; i++) {
        int skip = is_ours(argv[i]);
        if (skip) {
            i += skip - 1;
            continue;
        }
        putc(' ', to);
        put_word(to, argv[i]);
    }
    fprintf(to, " --shard \"$SLURM_ARRAY_TASK_ID/%llu\" --out ", (unsigned long long)s->tasks);
    put_word(to, out);
    fprintf(to, "\".part$SLURM_ARRAY_TASK_ID\"\n");
    if (fclose(to) == 0) return text;
    free(text);
    return NULL;
}

/* Of a task that never began there is no part: what it left is computed by the same command again. */
static char *merge_command(const sweep_slurm *s, const char *tool, const char *out) {
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    if (!to) return NULL;
    fprintf(to, "set --; for i in $(seq 1 %llu); do [ -e ", (unsigned long long)s->tasks);
    put_word(to, out);
    fputs(".part$i ] && set -- \"$@\" ", to);
    put_word(to, out);
    fputs(".part$i; done; exec ", to);
    put_word(to, tool);
    fputs(" results merge \"$@\" -o ", to);
    put_word(to, out);
    if (fclose(to) == 0) return text;
    free(text);
    return NULL;
}

/* Runs sbatch; the job's number. */
static vta_status submit(const char *command, char job[64]) {
    FILE *from = popen(command, "r");
    if (!from) return cli_fail(VTA_IO, "--slurm: sbatch cannot be started");
    bool answered = fgets(job, 64, from);
    while (getc(from) != EOF) {
    }
    int state = pclose(from);
    if (answered) job[strcspn(job, ";\n")] = 0;
    if (answered && WIFEXITED(state) && WEXITSTATUS(state) == 0 && *job) return VTA_OK;
    return cli_fail(VTA_IO, "--slurm: sbatch refused the job; what it says stands above. The command was: %s", command);
}

static char *array_command(const sweep_slurm *s, const char *out, const char *path) {
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    if (!to) return NULL;
    fprintf(to, "sbatch --parsable %s --job-name=vta-sweep --array=1-%llu --output=", s->options,
            (unsigned long long)s->tasks);
    put_word(to, out);
    fputs(".%a.log ", to);
    put_word(to, path);
    if (fclose(to) == 0) return text;
    free(text);
    return NULL;
}

static char *after_command(const sweep_slurm *s, const char *job, const char *out, const char *merge) {
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    if (!to) return NULL;
    fprintf(to, "sbatch --parsable %s --dependency=afterany:%s --job-name=vta-merge --output=", s->options, job);
    put_word(to, out);
    fputs(".merge.log --wrap=", to);
    put_word(to, merge);
    if (fclose(to) == 0) return text;
    free(text);
    return NULL;
}

static void print_dry(const char *path, const char *text, const char *array, const char *after) {
    printf("# %s\n%s\n%s\n%s\n", path, text, array, after);
}

static vta_status submit_both(const sweep_slurm *s, const char *path, const char *text, const char *array,
                              const char *out, const char *merge) {
    char job[64], last[64];
    vta_status status = cli_write_file(path, text, strlen(text));
    if (status == VTA_OK) status = submit(array, job);
    char *after = status == VTA_OK ? after_command(s, job, out, merge) : NULL;
    if (status == VTA_OK) status = after ? submit(after, last) : VTA_NO_MEMORY;
    free(after);
    if (status == VTA_OK)
        printf("job %s: %llu tasks; job %s merges their results into %s\n", job, (unsigned long long)s->tasks, last,
               out);
    return status;
}

vta_status sweep_slurm_submit(const sweep_slurm *settings, const char *out, int argc, char *const *argv) {
    sweep_slurm s = *settings;
    char tool[4096], path[4096];
    if (!s.tasks) s.tasks = 8;
    if (!out) return cli_fail(VTA_INVALID_ARGUMENT, "--slurm: expected --out FILE.jsonl, where the results go");
    if (s.tasks > 100000) return cli_fail(VTA_OUT_OF_RANGE, "--tasks: expected at most 100000");
    if (cli_environment("SLURM_JOB_ID"))
        return cli_fail(VTA_INVALID_ARGUMENT, "--slurm: this is a job of Slurm already; give --shard I/N there");
    if (snprintf(path, sizeof path, "%s.slurm.sh", out) >= (int)sizeof path)
        return cli_fail(VTA_INVALID_ARGUMENT, "--out: the path is too long");
    vta_status status = find_tool(tool);
    if (status != VTA_OK) return status;
    char *text = script(&s, tool, out, argc, argv), *merge = merge_command(&s, tool, out);
    char *array = array_command(&s, out, path), *after = merge ? after_command(&s, "JOB", out, merge) : NULL;
    if (!text || !merge || !array || !after)
        status = VTA_NO_MEMORY;
    else if (s.dry_run)
        print_dry(path, text, array, after);
    else
        status = submit_both(&s, path, text, array, out, merge);
    free(text);
    free(merge);
    free(array);
    free(after);
    return status;
}
