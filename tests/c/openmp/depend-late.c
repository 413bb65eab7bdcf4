/* A predecessor that has ended before its successor is created, as it always has on one thread: the edge is there all the
 * same. The third task begins at 3, though it is created at 1.
 *
 * work 9 9 9
 * span 7 7 7
 * site gcc: task 17
 * site gcc: task 19
 * site gcc: task 22
 */
#include "spin.h"

int main(void) {
    int x = 0, y = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task depend(out : x)
        spin(2);
#pragma omp task depend(in : x) depend(out : y)
        spin(1);
        spin(1);
#pragma omp task depend(in : y)
        spin(4);
        spin(1);
    }
    return x + y;
}
