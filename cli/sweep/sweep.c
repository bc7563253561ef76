/* vta sweep: times programs, kernels and networks on every combination of the varied settings. */
#include "run.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file.h"
#include "model.h"
#include "report.h"
#include "slurm.h"

/* More points than that are only taken where their results go to a file. */
enum { MAX_SHOWN = 4096 };

typedef struct sweep {
    cli_common common;
    cli_timing timing;
    cli_input input;
    cli_list vary, energy;
    const char *svg, *area, *out, *shard_text, *limit, *objective;
    uint64_t machines, seed; /* of a search */
    sweep_search search;
    bool no_cache;
#ifdef VT_COMPILER
    cli_network network;
    cli_pictures pictures;
    cli_truth truth;
#endif
    sweep_servers servers;
    sweep_slurm slurm;
    char *params;
    sweep_run run;
} sweep;

/* ---- What is timed ---------------------------------------------------------------------------------------------- */

static vta_status hash_file(const char *path, sweep_hash *h) {
    char *bytes = NULL;
    size_t size;
    vta_status status = cli_read_file(path, &bytes, &size);
    if (status == VTA_OK) sweep_hash_add(h, bytes, size);
    free(bytes);
    return status;
}

static vta_status hash_program(const vta_program *program, sweep_hash *h) {
    for (uint32_t run = 0; run < vta_program_run_count(program); run++) {
        vta_program_run_info info;
        vta_status status = vta_program_get_run(program, run, &info);
        if (status != VTA_OK) return status;
        sweep_hash_add(h, &info.insn_addr, sizeof info.insn_addr);
        sweep_hash_add(h, info.insns, (size_t)info.insn_count * VTA_INSN_BYTES);
    }
    return VTA_OK;
}

/* What is compiled is the same for all machines, on its own configuration. */
static vta_status open_program(sweep *s, sweep_subject *subject) {
    cli_input own = s->input;
    vta_config *base = NULL, *config = NULL;
    cli_kernel_program compiled = {0};
    vta_status status = VTA_OK;
    if (s->common.config) status = vta_config_find(s->common.config, cli_diag(), &base, NULL);
    own.path = subject->path;
    own.base = base;
    own.changes = &s->common.set;
    if (status == VTA_OK) status = cli_open_input(&own, cli_diag(), &config, &compiled);
    subject->program = compiled.program;
    vta_config_release(base);
    if (status == VTA_OK && s->run.setup.config)
        status = cli_same_sizes(subject->program, s->run.setup.config, cli_diag());
    if (status == VTA_OK && !s->run.setup.config) s->run.setup.config = vta_config_retain(config);
    vta_config_release(config);
    return status;
}

static vta_status open_network(sweep *s, sweep_subject *subject) {
#ifdef VT_COMPILER
    s->network.common = &s->common;
    s->network.any_samples = true;
    vta_status status = cli_pictures_settle(&s->pictures, subject->path);
    if (status == VTA_OK && s->truth.images) status = cli_truth_read(&s->truth, &s->pictures, subject->path);
    if (status == VTA_OK) status = sweep_network_open(&s->network, &s->pictures, subject->path, &subject->network);
    if (status == VTA_OK && s->truth.images && !sweep_run_is_helper(&s->run))
        status = sweep_network_judge(subject->network, &s->pictures, &s->truth, s->run.jobs, &subject->accuracy);
    return status;
#else
    (void)s;
    return cli_fail(VTA_UNSUPPORTED, "%s: this tool was built without the compiler", subject->path);
#endif
}

/* The file's name; with its folder where several have that name. */
static const char *name_of(int argc, char **argv, int i) {
    const char *base = cli_base_name(argv[i]), *name = base;
    for (int k = 0; k < argc; k++) {
        if (k == i || strcmp(cli_base_name(argv[k]), base)) continue;
        if (name > argv[i]) name--;
        while (name > argv[i] && name[-1] != '/') name--;
        break;
    }
    return name;
}

static vta_status open_subject(sweep *s, const char *path, const char *name) {
    sweep_subject *subject = &s->run.subjects[s->run.subject_count++];
    *subject = (sweep_subject){.path = path, .name = name, .params = s->params};
    bool is_network = cli_is_network(path), is_source = cli_is_kernel(path) && !s->input.function;
    vta_status status = VTA_OK;
    if (s->run.setup.servers && !is_network)
        return cli_fail(VTA_UNSUPPORTED, "%s: only networks are measured on servers", path);
    if ((is_network || is_source) && !s->run.setup.config) {
        vta_config *config = NULL;
        status = cli_find_config(&s->common, &config);
        s->run.setup.config = config;
    }
    if (status == VTA_OK && is_network) status = open_network(s, subject);
    if (status == VTA_OK && !is_network && !is_source) status = open_program(s, subject);
    sweep_hash h;
    sweep_hash_begin(&h);
    if (status == VTA_OK && is_source) status = hash_file(path, &h);
    if (status == VTA_OK && subject->program) status = hash_program(subject->program, &h);
    sweep_hash_text(&h, is_source ? s->params : NULL);
    if (status == VTA_OK && subject->network) sweep_network_hash(subject->network, &h);
#ifdef VT_COMPILER
    if (status == VTA_OK && is_network && s->truth.images) status = sweep_truth_hash(&s->pictures, &s->truth, &h);
    cli_truth_free(&s->truth);
#endif
    sweep_hash_end(&h, subject->key);
    return status;
}

static void close_all(sweep *s) {
    for (size_t i = 0; i < s->run.subject_count; i++) {
        vta_program_destroy(s->run.subjects[i].program);
        sweep_network_destroy(s->run.subjects[i].network);
    }
#ifdef VT_COMPILER
    free(s->pictures.labels);
#endif
    if (s->run.is_kept) sweep_file_close(&s->run.file);
    result_list_free(&s->run.results);
    sweep_search_free(&s->search);
    sweep_space_free(&s->run.space);
    vta_config_release((vta_config *)s->run.setup.config);
    free(s->run.others);
    free(s->params);
}

/* ---- The command ------------------------------------------------------------------------------------------------ */

/* With --search only so many machines are computed. */
static vta_status plan_search(sweep *s, uint64_t subjects) {
    sweep_search *search = &s->search;
    *search = (sweep_search){.space = &s->run.space, .budget = s->machines, .random = s->seed};
    if (!s->machines)
        return s->objective ? cli_fail(VTA_INVALID_ARGUMENT, "--objective: of --search, and of vta results") : VTA_OK;
    if (s->shard_text || s->slurm.options)
        return cli_fail(VTA_INVALID_ARGUMENT,
                        "--search: each part would need the others' results; start several with one --out FILE.jsonl, "
                        "or mpirun, instead of --shard and --slurm");
    uint64_t machines = s->machines < s->run.space.count ? s->machines : s->run.space.count;
    s->run.search = search;
    s->run.total = machines * subjects;
    return objectives_read(s->objective, &search->by);
}

/* Points on servers. How long they wait for one when nobody says: others may have them all. */
enum { WAIT_SECONDS = 600 };

static vta_status plan_servers(sweep *s) {
    cli_place *p = &s->servers.place;
    if (!s->servers.at && !p->tracker)
        return p->key || p->key_file || p->lease || p->wait
                   ? cli_fail(VTA_INVALID_ARGUMENT,
                              "--key, --key-file, --lease and --wait are of --server or --tracker")
                   : VTA_OK;
    if (s->servers.at && p->tracker)
        return cli_fail(VTA_INVALID_ARGUMENT, "--server and --tracker: a tracker gives the servers; give one");
    if (s->run.setup.synthesize)
        return cli_fail(VTA_UNSUPPORTED, "--area synth: not of points that are measured on servers");
    for (size_t i = 0; i < s->run.space.axis_count; i++)
        if (!sweep_is_key(s->run.space.axes[i].name))
            return cli_fail(
                VTA_UNSUPPORTED,
                "--vary %s: a server's accelerator has its own timing; keys of the configuration can change",
                s->run.space.axes[i].name);
    if (!p->wait) p->wait = WAIT_SECONDS;
    s->run.setup.servers = &s->servers;
    return VTA_OK;
}

/* What the options say, before anything is read. */
static vta_status settle(sweep *s, int argc) {
    char *end = "";
    uint64_t points;
    s->run.setup.timing = &s->timing;
    s->run.setup.cached = !s->no_cache;
    s->run.setup.synthesize = s->area && !strcmp(s->area, "synth");
    if (s->limit) s->run.setup.limit = strtod(s->limit, &end);
    if (*end || !(s->run.setup.limit >= 0 && s->run.setup.limit < 1e9))
        return cli_fail(VTA_INVALID_ARGUMENT, "--limit %s: expected seconds", s->limit);
#ifdef VT_COMPILER
    if (s->truth.labels_path && !s->truth.images)
        return cli_fail(VTA_INVALID_ARGUMENT, "--labels: of the pictures in which folder? (--images DIR)");
#endif
    vta_status status = sweep_space_read(&s->vary, &s->run.space);
    if (status == VTA_OK) status = plan_servers(s);
    if (status == VTA_OK) status = sweep_shard_read(s->shard_text, &s->run.shard);
    if (status == VTA_OK) status = sweep_energy_read(&s->energy, &s->run.setup.energy);
    if (status == VTA_OK && !(s->params = cli_join(&s->input.params))) status = VTA_NO_MEMORY;
    if (status == VTA_OK && __builtin_mul_overflow(s->run.space.count, (uint64_t)argc, &points))
        status = cli_fail(VTA_OUT_OF_RANGE, "--vary: more than 2^64 points");
    if (status != VTA_OK) return status;
    s->run.total = points / s->run.shard.of + (points % s->run.shard.of > s->run.shard.part);
    status = plan_search(s, (uint64_t)argc);
    if (status != VTA_OK) return status;
    if (s->out || s->run.total <= MAX_SHOWN) return VTA_OK;
    return cli_fail(VTA_INVALID_ARGUMENT,
                    "--vary: %llu points; more than %d go to a file: give --out FILE.jsonl, and then vta results",
                    (unsigned long long)s->run.total, MAX_SHOWN);
}

static vta_status open_all(sweep *s, int argc, char **argv) {
    vta_status status = VTA_OK;
    for (int i = 0; i < argc && status == VTA_OK; i++) status = open_subject(s, argv[i], name_of(argc, argv, i));
    s->run.is_kept = status == VTA_OK && s->out && !sweep_run_is_helper(&s->run);
    return s->run.is_kept ? sweep_file_open(s->out, &s->run.file) : status;
}

static vta_status report(sweep *s, const char *title) {
    if (!s->run.is_kept) return results_report(&s->run.results, s->common.json, s->svg, title);
    if (s->common.json)
        cli_print_json(json_pack("{s:s, s:I, s:I, s:I, s:I}", "file", s->out, "points", (json_int_t)s->run.total,
                                 "found", (json_int_t)s->run.found, "computed",
                                 (json_int_t)(s->run.finished - s->run.found), "refused", (json_int_t)s->run.refused));
    else
        printf("%s: %llu points; %llu were there, %llu computed, %llu of them refused. vta results pareto %s shows "
               "the best\n",
               s->out, (unsigned long long)s->run.total, (unsigned long long)s->run.found,
               (unsigned long long)(s->run.finished - s->run.found), (unsigned long long)s->run.refused, s->out);
    return VTA_OK;
}

int cmd_sweep(const cli_command *self, int argc, char **argv) {
    static sweep s;
    const cli_option options[] = {
        {"vary", 'v', CLI_LIST, "NAME=A,B,...|A:B",
         "values of a timing setting, of profile, or of a key; may be repeated", &s.vary},
        {"out", 'o', CLI_TEXT, "FILE.jsonl",
         "append a line for each point; points that are there are not computed again", &s.out},
        {"no-times", 0, CLI_FLAG, NULL, "leave out times of this machine, so that equal work gives equal lines",
         &s.run.no_times},
        {"search", 0, CLI_NUMBER, "N", "compute only N machines, chosen by the results of the others", &s.machines},
        {"objective", 0, CLI_TEXT, "A,B", "of --search: seconds, area, energy, cycles (seconds,area)", &s.objective},
        {"seed", 0, CLI_NUMBER, "N", "of --search: the same seed chooses the same machines", &s.seed},
        {"shard", 0, CLI_TEXT, "I/N", "compute part I of N of the points, one for each worker", &s.shard_text},
        {"slurm", 0, CLI_TEXT, "OPTIONS", "submit it as a job array; options of sbatch, or \"\"", &s.slurm.options},
        {"tasks", 0, CLI_NUMBER, "N", "of the job array (8)", &s.slurm.tasks},
        {"dry-run", 0, CLI_FLAG, NULL, "of --slurm: print what would be submitted", &s.slurm.dry_run},
        {"limit", 0, CLI_TEXT, "SECONDS", "give up a point that takes longer to compile", &s.limit},
        {"energy", 0, CLI_LIST, "NAME=PICOJOULES", "costs: multiply, add, chip_byte, dram_byte; may be repeated",
         &s.energy},
        {"no-cache", 0, CLI_FLAG, NULL, "neither read nor keep compiled streams (else in ~/.cache/vta/sweep)",
         &s.no_cache},
        {"svg", 0, CLI_TEXT, "FILE", "draw time over area, with the machines that none beats in both", &s.svg},
        {"area", 0, CLI_TEXT, "estimate|synth", "area by a formula, or by Yosys: minutes for each machine", &s.area},
        {"jobs", 0, CLI_NUMBER, "N", "machines timed at once (as many as cores)", &s.run.jobs},
#ifdef VT_RPC
        {"server", 0, CLI_TEXT, "HOST:PORT", "measure networks on this server, instead of timing them here",
         &s.servers.at},
        {"tracker", 0, CLI_TEXT, "HOST:PORT", "measure on the servers that this tracker gives, --jobs at once",
         &s.servers.place.tracker},
        {"key", 0, CLI_TEXT, "NAME", "which kind of server to ask the tracker for", &s.servers.place.key},
        {"key-file", 0, CLI_TEXT, "FILE", "the key of server and tracker", &s.servers.place.key_file},
        {"lease", 0, CLI_NUMBER, "SECONDS", "how long a point may have a server (the tracker's limit)",
         &s.servers.place.lease},
        {"wait", 0, CLI_NUMBER, "SECONDS", "how long to wait for a free server (600)", &s.servers.place.wait},
#endif
        CLI_INPUT_OPTIONS(&s.input),
#ifdef VT_COMPILER
        {"images", 'i', CLI_TEXT, "DIR", "for networks: how many of these pictures are classified correctly",
         &s.truth.images},
        {"labels", 'l', CLI_TEXT, "FILE", "of --images: a table of lines file,class (else DIR has a folder a class)",
         &s.truth.labels_path},
        CLI_NETWORK_OPTIONS(&s.network),
        CLI_PICTURE_OPTIONS(&s.pictures),
        CLI_GRAPH_OPTIONS(&s.network.of_graph),
#endif
        CLI_CONFIG_OPTIONS(&s.common),
        CLI_TIMING_OPTIONS(&s.timing),
        CLI_JSON_OPTION(&s.common),
        {0}};
    char **words = calloc((size_t)argc + 1, sizeof *words); /* parsing changes their order */
    const int word_count = argc;
    if (words) memcpy(words, argv, (size_t)argc * sizeof *words);
    int code = words ? cli_parse(self, options, argc, argv, &argc, &argv) : cli_finish(VTA_NO_MEMORY);
    if (code < 0 && s.slurm.options) code = cli_finish(sweep_slurm_submit(&s.slurm, s.out, word_count, words));
    free(words);
    if (code >= 0) return code;
    if (argc < 1 || argc > MAX_SUBJECTS)
        return cli_usage(self, "expected 1 to %d programs, kernel files, objects or models, got %d", MAX_SUBJECTS,
                         argc);
    if (s.area && strcmp(s.area, "estimate") && strcmp(s.area, "synth"))
        return cli_usage(self, "--area %s: expected estimate or synth", s.area);
    if (s.out && s.svg) return cli_usage(self, "--svg: of a file of results, vta results svg draws it");
    vta_status status = settle(&s, argc);
    if (status != VTA_OK && status != VTA_NO_MEMORY) {
        close_all(&s);
        cli_finish(status);
        return CLI_USAGE;
    }
    pthread_mutex_init(&s.run.lock, NULL);
    s.run.transport = sweep_transport_find();
    if (status == VTA_OK) status = open_all(&s, argc, argv);
    if (s.run.transport) {
        s.run.status = status;
        status = sweep_run_is_helper(&s.run) ? sweep_run_help(&s.run, status) : sweep_run_coordinate(&s.run);
        s.run.transport->close();
    } else if (status == VTA_OK) {
        status = sweep_run_all(&s.run);
    }
    if (!sweep_run_is_helper(&s.run) && (status == VTA_OK || s.run.results.count)) {
        vta_status shown = report(&s, argv[0]);
        if (status == VTA_OK) status = shown;
    }
    close_all(&s);
    return cli_finish(status);
}
