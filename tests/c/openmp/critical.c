/* A critical section: waiting for it is no work, and the order in which threads get it is no dependence.
 *
 * work 3 6 24
 * span 3 3 3
 * lock 14: 2 4 16
 * serialises 14
 */
#include "spin.h"

int main(void) {
#pragma omp parallel
    {
        spin(1);
#pragma omp critical(one)
        spin(2);
    }
    return 0;
}
