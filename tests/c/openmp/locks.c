/* A lock, a nestable lock that is taken twice, and one that is tried out until it is free.
 *
 * work 3 6 24
 * span 3 3.5 6.5
 * lock 19+32: 1.5 3 12
 * lock 22: 1 2 8
 */
#include <omp.h>

#include "spin.h"

int main(void) {
    omp_lock_t lock;
    omp_nest_lock_t nested;
    omp_init_lock(&lock);
    omp_init_nest_lock(&nested);
#pragma omp parallel
    {
        omp_set_lock(&lock);
        spin(1);
        omp_unset_lock(&lock);
        omp_set_nest_lock(&nested);
        omp_set_nest_lock(&nested);
        spin(1);
        omp_unset_nest_lock(&nested);
        omp_unset_nest_lock(&nested);
        spin(0.5);
#pragma omp barrier
        // Free for each thread in its turn.
        for (int turn = 0; turn < omp_get_num_threads(); turn++) {
            if (turn == omp_get_thread_num()) {
                while (!omp_test_lock(&lock)) {
                }
                spin(0.5);
                omp_unset_lock(&lock);
            }
#pragma omp barrier
        }
    }
    omp_destroy_lock(&lock);
    omp_destroy_nest_lock(&nested);
    return 0;
}
