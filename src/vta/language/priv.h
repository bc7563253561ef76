/* What the files of src/vta/language share. */
#ifndef VT_LANGUAGE_PRIV_H
#define VT_LANGUAGE_PRIV_H

#include "base/alloc.h"
#include "base/diag.h"
#include "vta/language.h"

/* Keys or values of a layer: [outer, slots, inner], slots being tokens. A run gives `given` of them, of which those of
 * its tokens begin at `first`. */
typedef struct vt_cache {
    size_t input, output; /* among the network's */
    size_t outer, inner;  /* elements before, bytes behind the axis of tokens */
    size_t slots, given, first;
} vt_cache;

/* What a network's inputs and outputs are for. SIZE_MAX: there is none. */
typedef struct vt_language_ports {
    size_t ids, positions, mask, scores;
    size_t tokens, slots, vocabulary; /* of a run; kept from earlier ones */
    vt_cache *caches;
    size_t cache_count;
} vt_language_ports;

/* ports.c: `caches` has room for all inputs. VTA_MISMATCH says what is missing. */
vta_status vt__language_ports(const char *name, size_t input_count, const vta_model_tensor *inputs, size_t output_count,
                              const vta_model_tensor *outputs, vta_diag *diag, vt_language_ports *out);

#endif
