/* Tasks of a group that is cancelled before they begin are discarded: those that wait for the one that cancels it, and those
 * that are created after it.
 *
 * environment OMP_CANCELLATION=true
 * work 4 4 4
 * span 4 4 4
 */
#include "spin.h"

int main(void) {
    int x = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskgroup
        {
#pragma omp task depend(out : x)
            {
                spin(1);
#pragma omp cancel taskgroup
            }
            for (int i = 0; i < 4; i++) {
#pragma omp task depend(in : x)
                spin(2);
            }
#pragma omp taskwait
            for (int i = 0; i < 4; i++) {
#pragma omp task
                spin(2);
            }
            spin(2);
        }
        spin(1);
    }
    return x;
}
