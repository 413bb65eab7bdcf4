/* Regions inside tasks, which the runtime nests.
 *
 * work 6 6 6
 * span 2 2 2
 */
#include <omp.h>

#include "spin.h"

int main(void) {
    omp_set_dynamic(0);
    omp_set_max_active_levels(2);
#pragma omp parallel
#pragma omp single
    {
        for (int i = 0; i < 2; i++) {
#pragma omp task
            {
#pragma omp parallel num_threads(2)
                spin(1);
                spin(1);
            }
        }
#pragma omp taskwait
    }
    return 0;
}
