/* A parallel region: each thread does 2 units; 1 unit before it.
 *
 * work 3 5 17
 * span 3 3 3
 * site clang: parallel 14
 * site gcc: parallel 14
 */
#include "spin.h"

int main(void) {
    spin(1);
    // A team of as many threads as there are.

#pragma omp parallel
    spin(2);
    return 0;
}
