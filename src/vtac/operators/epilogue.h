/* What the files about epilogues share: the rows of epilogue.def. */
#ifndef VT_OPS_EPILOGUE_H
#define VT_OPS_EPILOGUE_H

#include "operators/ops.h"

typedef struct vt_epilogue_row {
    const char *name, *form, *text;
    int numbers;
    bool needed;
    int32_t value[2], least, most;
} vt_epilogue_row;

extern const vt_epilogue_row vt__epilogue_rows[];

#endif
