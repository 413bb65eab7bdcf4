/* A taskwait waits for children, not for their children: the grandchild of 3 units goes on beside what follows. If it were
 * waited for, the span would be 5.
 *
 * work 6 6 6
 * span 3 3 3
 */
#include "spin.h"

int main(void) {
#pragma omp parallel
#pragma omp single
    {
#pragma omp task
        {
#pragma omp task
            spin(3);
            spin(1);
        }
#pragma omp taskwait
        spin(2);
    }
    return 0;
}
