/* mutexinoutset: two tasks in any order, but not at the same time; they are taken for a set, and a later task follows both.
 *
 * work 9 9 9
 * span 6 6 6
 */
#include "spin.h"

int main(void) {
    int x = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task depend(out : x)
        spin(1);
#pragma omp task depend(mutexinoutset : x)
        spin(2);
#pragma omp task depend(mutexinoutset : x)
        spin(3);
#pragma omp task depend(in : x)
        spin(2);
        spin(1);
    }
    return x;
}
