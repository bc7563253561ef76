#include "build/fork.h"

#include <pthread.h>

static pthread_rwlock_t gate = PTHREAD_RWLOCK_INITIALIZER; /* read: compiling; written: forking */

void vt__compile_begins(void) { pthread_rwlock_rdlock(&gate); }
void vt__compile_ends(void) { pthread_rwlock_unlock(&gate); }

static void before(void) { pthread_rwlock_wrlock(&gate); }
static void in_parent(void) { pthread_rwlock_unlock(&gate); }
static void in_child(void) { pthread_rwlock_init(&gate, NULL); }

__attribute__((constructor)) static void library_begins(void) { pthread_atfork(before, in_parent, in_child); }
