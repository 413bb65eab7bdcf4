/* `if(0)` with a dependence: the parent waits for what the task depends on, and then for the task; waiting is no work.
 *
 * work 6 6 6
 * span 5 5 5
 */
#include "spin.h"

int main(void) {
    int x = 0, later = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task depend(out : x)
        spin(3);
        spin(1);
#pragma omp task if (later) depend(in : x)
        spin(1);
        spin(1);
    }
    return x;
}
