/* A cancelled region: each thread does its unit and leaves.
 *
 * environment OMP_CANCELLATION=true
 * work 3 4 10
 * span 3 3 3
 */
#include "spin.h"

int main(void) {
#pragma omp parallel
    {
        spin(1);
#pragma omp cancel parallel
        spin(7);
    }
    spin(2);
    return 0;
}
