/* One thread does the single block, the others wait behind it; a second one has no barrier.
 *
 * work 6 7 13
 * span 6 6 6
 */
#include "spin.h"

int main(void) {
#pragma omp parallel
    {
#pragma omp single
        spin(2);
        spin(1);
#pragma omp barrier
#pragma omp single nowait
        spin(3);
    }
    return 0;
}
