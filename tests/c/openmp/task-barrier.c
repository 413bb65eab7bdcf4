/* Tasks of all threads end before the barrier ends: each thread creates one of 2 units, one thread creates one of 4, then all
 * do one unit.
 *
 * work 7 10 28
 * span 5 5 5
 */
#include <omp.h>

#include "spin.h"

int main(void) {
#pragma omp parallel
    {
#pragma omp task
        spin(2);
#pragma omp single nowait
        {
#pragma omp task
            spin(4);
        }
#pragma omp barrier
        spin(1);
    }
    return 0;
}
