/* Compiling and fork. */
#ifndef VT_BUILD_FORK_H
#define VT_BUILD_FORK_H

/* Around what LLVM does: it has locks of its own, which a forked child could never take if another thread held one when
 * it forked. fork waits until nobody is between the two; any number of threads may be. They do not nest. */
void vt__compile_begins(void);
void vt__compile_ends(void);

#endif
