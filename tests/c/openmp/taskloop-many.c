/* A taskloop of so many tasks that libomp, on one thread and on two, has tasks of its own create them. The first is much longer
 * than the others, of which one or the other is disturbed.
 *
 * work 19.5 19.5 19.5
 * span 5 5 5
 */
#include "spin.h"

int main(void) {
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskloop grainsize(1)
        for (int i = 0; i < 30; i++)
            spin(i == 0 ? 4 : 0.5);
        spin(1);
    }
    return 0;
}
