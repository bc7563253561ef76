/* Pictures whose classes are known, and how many of them a network classifies right. */
#ifndef CLI_C_TRUTH_H
#define CLI_C_TRUTH_H

#include "c_network.h"
#include "labels.h"
#include "model.h"

typedef struct cli_truth {
    const char *images, *labels_path; /* as given: a folder, and a table or NULL: a folder of it for each class */
    cli_labels labels;
    cli_names names; /* of the classes, where folders are called so */
    size_t ordered;  /* folders whose alphabetical order are the classes; 0: they say them themselves */
    char **paths;    /* of the pictures */
} cli_truth;

typedef struct cli_score {
    size_t top1, top5; /* pictures whose class is the first, or among the first five */
} cli_score;

/* Reads which pictures there are, of which classes, for a model whose settings `how` were settled. Free it also after
 * an error. */
vta_status cli_truth_read(cli_truth *t, const cli_pictures *how, const char *model);
void cli_truth_free(cli_truth *t);
/* Refuses classes that the network has not. */
vta_status cli_truth_check(const cli_truth *t, const cli_pictures *how, const vta_model *model);
/* Adds what the network answered for picture `index`. One thread at a time. VTA_UNSUPPORTED: it gives no scores. */
vta_status cli_truth_count(const cli_truth *t, const cli_pictures *how, size_t index, const cli_answer *answer,
                           cli_score *score);

#endif
