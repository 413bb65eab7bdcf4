/* A taskloop of more tasks than gcc's runtime queues: a thread runs them one after the other, and they are as parallel as others.
 *
 * work 7 7 7
 * span 1 1 1
 */
#include "spin.h"

int main(void) {
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskloop grainsize(1)
        for (int i = 0; i < 600; i++)
            spin(0.01);
        spin(1);
    }
    return 0;
}
