/* Dependences hold among siblings only: a child's task at the same place is not ordered with the parent's siblings.
 *
 * work 6 6 6
 * span 3 3 3
 */
#include "spin.h"

int main(void) {
    int x = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task depend(out : x)
        {
#pragma omp task depend(out : x)
            spin(3);
            spin(1);
        }
#pragma omp task depend(in : x)
        spin(2);
    }
    return x;
}
