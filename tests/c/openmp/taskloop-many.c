/* A taskloop of so many tasks that libomp has tasks of its own create them, each for a half of what is left.
 *
 * work 101 101 101
 * span 2 2 2
 */
#include "spin.h"

int main(void) {
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskloop grainsize(1)
        for (int i = 0; i < 100; i++)
            spin(1);
        spin(1);
    }
    return 0;
}
