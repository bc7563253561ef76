/* Shared by the files of this folder. */
#ifndef VT_CONV_PRIV_H
#define VT_CONV_PRIV_H

#include "base/diag.h"
#include "base/versioned.h"
#include "vta/conv.h"

/* The convolution with its defaults, and its layout. */
vta_status vt__conv_read(const vta_config *config, const vta_conv *given, vta_diag *diag, vta_conv *c,
                         vta_conv_layout *l);

#endif
