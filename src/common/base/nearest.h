/* "Did you mean": suggestions in messages about names that nothing has. */
#ifndef VT_BASE_NEAREST_H
#define VT_BASE_NEAREST_H

#include "vta/support.h"

enum { VT_SUGGESTION_BYTES = 96 };

/* Writes "; did you mean NAME?" into `out`, or nothing when no name is near; gives `out`, for use in a message. */
const char *vt_suggest(char out[VT_SUGGESTION_BYTES], const char *name, const char *const *names, size_t count);

#endif
