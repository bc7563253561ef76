#include <stdio.h>

#include "vta/status.h"

int main(void) {
    printf("vta %s\n", vta_version());
    return 0;
}
