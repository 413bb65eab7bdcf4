/* Two teams of 2 threads each: the second thread of each works for 4 units.
 * idle - - 24/32
 */
#include "rest.h"

int main(void) {
    omp_set_max_active_levels(2);
    #pragma omp parallel num_threads(2)
    #pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 1)
        rest(4);
    return 0;
}
