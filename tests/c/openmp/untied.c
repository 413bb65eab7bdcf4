/* Untied tasks, which may go on another thread after each scheduling point.
 *
 * work 12 12 12
 * span 6 6 6
 * site gcc: task 15
 * site gcc: task 18
 */
#include "spin.h"

int main(void) {
#pragma omp parallel
#pragma omp single
    {
        for (int i = 0; i < 2; i++) {
#pragma omp task untied
            {
                spin(1);
#pragma omp task untied
                spin(3);
#pragma omp taskwait
                spin(1);
#pragma omp taskyield
                spin(1);
            }
        }
    }
    return 0;
}
