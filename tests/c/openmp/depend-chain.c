/* A chain of out, in and inout: four tasks after one another, and two readers beside one another.
 *
 * work 8 8 8
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
#pragma omp task depend(in : x)
        spin(2);
#pragma omp task depend(in : x)
        spin(2);
#pragma omp task depend(inout : x)
        spin(1);
#pragma omp task depend(in : x)
        spin(2);
    }
    return x;
}
