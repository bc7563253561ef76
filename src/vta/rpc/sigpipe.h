/* Writing to a connection that the other side has closed is an error, not the end of the process: SIGPIPE is held back
 * in the calling thread, and forgotten if it came. Signal handlers of the program stay as they are. */
#ifndef VT_RPC_SIGPIPE_H
#define VT_RPC_SIGPIPE_H

#include <signal.h>
#include <stdbool.h>

typedef struct vt_sigpipe {
    sigset_t before;  /* the thread's mask */
    bool was_pending; /* then one that comes is not ours to forget */
} vt_sigpipe;

vt_sigpipe vt__sigpipe_hold(void);
/* errno stays as it is. */
void vt__sigpipe_release(const vt_sigpipe *held);

#endif
