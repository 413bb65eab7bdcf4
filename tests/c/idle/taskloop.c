/* Eight tasks of 2 units; on 8 threads one that wakes up late may get none.
 * idle 0 0 -
 */
#include "rest.h"

int main(void) {
    #pragma omp parallel
    #pragma omp single
    #pragma omp taskloop grainsize(1)
    for (int i = 0; i < 8; i++)
        rest(2);
    return 0;
}
