/* Buffers share storage before virtual threads are injected: sharing is decided inside of a thread, threads never
 * share. What can be shared then stays shared; afterwards buffers only get their place (vt_target.threads_overlap). */
#include "lower/vta/vta.h"

const vt_func *vt_pass_early_rewrite(vt_lowering *l, const vt_func *f) { return vt_share_before_threads(l, f); }
