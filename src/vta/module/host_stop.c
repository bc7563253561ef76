/* Host code that is to end early. Compiled code reads the word by name, weakly: without this library it never stops. */
#include "vta/module.h"

int32_t vta_host_stop;

void vta_host_interrupt(bool raised) { __atomic_store_n(&vta_host_stop, raised, __ATOMIC_RELAXED); }
