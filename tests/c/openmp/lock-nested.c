/* What counts for a lock: all of the time of the outer one, with what is done under the inner one, but not the wait for that,
 * nor tasks that are waited for under it, which may have run before. Critical sections of one name are one lock,
 * wherever they stand.
 *
 * work 4 8 32
 * span 3.5 3.5 3.5
 * lock 22+31: 3 6 24
 * lock 24: 1 2 8
 */
#include <omp.h>

#include "spin.h"

int main(void) {
    omp_lock_t inner;
    omp_init_lock(&inner);
#pragma omp parallel
    {
#pragma omp task
        spin(0.5);

#pragma omp critical(outer)
        {
            omp_set_lock(&inner);
            spin(1);
            omp_unset_lock(&inner);
            spin(1);
#pragma omp taskwait
        }
        spin(0.5);
#pragma omp critical(outer)
        spin(1);
    }
    omp_destroy_lock(&inner);
    return 0;
}
