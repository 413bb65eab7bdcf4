/* A taskgroup waits for grandchildren, too. A task created before it is not waited for.
 *
 * work 11 11 11
 * span 5 5 5
 */
#include "spin.h"

int main(void) {
#pragma omp parallel
#pragma omp single
    {
#pragma omp task
        spin(5);
#pragma omp taskgroup
        {
#pragma omp task
            {
#pragma omp task
                spin(3);
                spin(1);
            }
        }
        spin(2);
    }
    return 0;
}
