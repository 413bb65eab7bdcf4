/* Regions of one thread: by `if`, and nested beyond the active levels. On one thread the inner region is the active one.
 *
 * work 8 6 12
 * span 5 5 5
 */
#include <omp.h>

#include "spin.h"

int main(void) {
    omp_set_max_active_levels(1);
#pragma omp parallel if (0)
    spin(3);
#pragma omp parallel
    {
#pragma omp parallel num_threads(4)
        spin(1);
    }
    spin(1);
    return 0;
}
