/* Eight tasks of one unit, then one unit: the tasks are parallel to one another on any number of threads.
 *
 * work 9 9 9
 * span 2 2 2
 * site clang: task 17
 * site gcc: parallel 12
 * site gcc: task 17
 */
#include "spin.h"

int main(void) {
#pragma omp parallel
#pragma omp single
    {
        for (int i = 0; i < 8; i++) {
            // Each task stands for itself.
#pragma omp task
            spin(1);
        }
#pragma omp taskwait
        spin(1);
    }
    return 0;
}
