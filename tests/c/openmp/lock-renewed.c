/* Locks that come and go in one place are not one lock: each task has one of its own.
 *
 * work 4 4 4
 * span 4 2 0.5
 * span 14: 4 2 0.5
 * lock 15: 0.5 0.5 0.5
 */
#include <omp.h>

#include "spin.h"

static void with_lock_of_its_own(omp_lock_t *place) {
    omp_init_lock(place);
    /* Who has the lock is known to nobody else. */
    omp_set_lock(place);
    spin(0.5);
    omp_unset_lock(place);
    omp_destroy_lock(place);
}

int main(void) {
    static omp_lock_t places[8];
#pragma omp parallel for schedule(static)
    for (int item = 0; item < 8; item++)
        with_lock_of_its_own(&places[omp_get_thread_num()]);
    return 0;
}
