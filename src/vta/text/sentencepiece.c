/* Models of SentencePiece. */
#include "text/text.h"

vta_status vt__sentencepiece(vta_tokenizer *t, const uint8_t *bytes, size_t size, vta_diag *diag) {
    (void)bytes;
    return vt_fail(diag, VTA_UNSUPPORTED, "%s: a model of SentencePiece (%zu bytes) is not supported", t->name, size);
}
