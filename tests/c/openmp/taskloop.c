/* A taskloop of eight tasks, which it waits for.
 *
 * work 9 9 9
 * span 2 2 2
 */
#include "spin.h"

int main(void) {
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskloop grainsize(1)
        for (int i = 0; i < 8; i++)
            spin(1);
        spin(1);
    }
    return 0;
}
