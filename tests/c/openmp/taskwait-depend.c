/* A taskwait with a dependence waits for one of two tasks.
 *
 * work 8 8 8
 * span 5 5 5
 */
#include "spin.h"

int main(void) {
    int x = 0, y = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task depend(out : x)
        spin(1);
#pragma omp task depend(out : y)
        spin(5);
#pragma omp taskwait depend(in : x)
        spin(2);
    }
    return x + y;
}
