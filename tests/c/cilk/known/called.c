/* A called function syncs what it spawned itself: 38 ms of work. The 20 ms that its caller spawned go on beside its
 * 4 + 8 ms and the caller's 6 ms: a path of 20 ms, not of 20 + 6. */
#include <cilk/cilk.h>

#include "../spin.h"

static void called(void) {
    cilk_spawn spin(8);
    spin(4);
    cilk_sync;
}

int main(void) {
    cilk_spawn spin(20);
    called();
    spin(6);
    cilk_sync;
    return 0;
}
