/* A region of two threads in each thread of a region of two. The inner ones take 1 and 2 units, the outer ones 1 more each.
 *
 * work 8 8 8
 * span 3 3 3
 */
#include <omp.h>

#include "spin.h"

int main(void) {
    omp_set_dynamic(0);
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
    {
#pragma omp parallel num_threads(2)
        spin(1 + omp_get_thread_num());
        spin(1);
    }
    return 0;
}
