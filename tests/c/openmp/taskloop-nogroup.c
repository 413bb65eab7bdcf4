/* A taskloop of two tasks of three units each that nothing waits for before the region's end.
 *
 * work 9 9 9
 * span 3 3 3
 */
#include "spin.h"

int main(void) {
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskloop num_tasks(2) nogroup
        for (int i = 0; i < 6; i++)
            spin(1);
        spin(3);
    }
    return 0;
}
