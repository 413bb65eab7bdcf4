/* The first thread alone does 2 units, and no thread waits for it.
 *
 * work 3 4 10
 * span 3 3 3
 */
#include "spin.h"

int main(void) {
#pragma omp parallel
    {
#pragma omp master
        spin(2);
        spin(1);
    }
    return 0;
}
