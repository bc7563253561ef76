/* What fork must find in order: no thread inside the library when memory is copied, and locks that the child, which has
 * the calling thread only, can take. */
#ifndef VT_RUNTIME_FORK_H
#define VT_RUNTIME_FORK_H

/* Priorities of the constructors that call pthread_atfork. Its handlers run last registered first before a fork: locks
 * that are held while others are taken belong to a later constructor. ORDER FORK */
enum { VT_FORK_INNER = 101, VT_FORK_OUTER = 102 };

/* pthread_atfork's three handlers for runtimes. */
void vt_runtimes_before_fork(void);
void vt_runtimes_after_fork_in_parent(void);
void vt_runtimes_after_fork_in_child(void);

#endif
