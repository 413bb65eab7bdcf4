/* Mergeable tasks: deferred ones are parallel, an undeferred one is part of its parent.
 *
 * work 7 7 7
 * span 4 4 4
 */
#include "spin.h"

int main(void) {
    int never = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task mergeable
        spin(3);
#pragma omp task mergeable if (never)
        spin(2);
#pragma omp task mergeable
        spin(2);
    }
    return never;
}
