/* Where contiguous memory comes from: each opens the one that the settings name, and says how it is released. */
#ifndef VT_DEVICE_BOARD_SOURCES_H
#define VT_DEVICE_BOARD_SOURCES_H

#include "device/board/contiguous.h"

/* u-dma-buf (memory=NAME) and models (udmabuf.c). */
vta_status vt__open_udmabuf(vt_contiguous *c, const vt_board_settings *s, vta_diag *diag);
vta_status vt__open_model(vt_contiguous *c, const char *folder, vta_diag *diag);
/* Xilinx's xlnk, through its library (memory=xlnk; xlnk.c). */
vta_status vt__open_xlnk(vt_contiguous *c, const vt_board_settings *s, vta_diag *diag);
/* A dma-heap, or ordinary memory, that an IOMMU makes contiguous (memory=dma_heap/NAME, memory=pages; heap.c). */
vta_status vt__open_heap(vt_contiguous *c, const vt_board_settings *s, vta_diag *diag);

/* Maps the memory of a device file, which stays open. */
vta_status vt__map_memory(vt_contiguous *c, const char *path, uint64_t bytes, vta_diag *diag);
/* VTA_UNSUPPORTED unless the memory begins with a page and is in the first 4 GiB. */
vta_status vt__check_place(const vt_contiguous *c, uint64_t addr, vta_diag *diag);
/* The bytes of the board setting memory_bytes=: whole pages, at most 3 GiB. */
vta_status vt__memory_bytes(const vt_board_settings *s, vta_diag *diag, uint64_t *out_bytes);
vta_status vt__memory_failed(vta_diag *diag, const char *path, const char *what);

#endif
