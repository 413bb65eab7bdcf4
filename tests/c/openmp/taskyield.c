/* A task that yields: what its thread executes meanwhile is parallel to it.
 *
 * work 8 8 8
 * span 2 2 2
 */
#include "spin.h"

int main(void) {
#pragma omp parallel
#pragma omp single
    {
        for (int i = 0; i < 4; i++) {
#pragma omp task
            {
                spin(1);
#pragma omp taskyield
                spin(1);
            }
        }
    }
    return 0;
}
