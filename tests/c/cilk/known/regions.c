/* Two sync regions in one function: the scope awaits 8 ms, not the 20 ms that were spawned before. 34 ms of work; the
 * longest path is 20 ms, and would be 26 ms if one sync awaited both. */
#include <cilk/cilk.h>

#include "../spin.h"

int main(void) {
    cilk_spawn spin(20);
    cilk_scope { cilk_spawn spin(8); }
    spin(6);
    cilk_sync;
    return 0;
}
