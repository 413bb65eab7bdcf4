/* A cancelled loop and a cancelled taskgroup, where cancellation is on (OMP_CANCELLATION): in the loop each thread does one
 * iteration, in the group the second task is discarded or ends early.
 *
 * environment OMP_CANCELLATION=true
 * work 4 6 18
 * span 4 4 4
 */
#include <omp.h>

#include "spin.h"

int main(void) {
#pragma omp parallel
    {
#pragma omp for schedule(static)
        for (int i = 0; i < 64; i++) {
            spin(1);
#pragma omp cancel for
        }
        spin(1);
#pragma omp barrier
#pragma omp single
        {
            spin(1);
#pragma omp taskgroup
            {
#pragma omp task
                {
                    spin(1);
#pragma omp cancel taskgroup
                    spin(5);
                }
            }
        }
    }
    return 0;
}
