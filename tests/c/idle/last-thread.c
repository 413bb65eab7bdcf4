/* One thread works for 4 units, the others wait at the end of the region.
 * idle 0 1/2 7/8
 */
#include "rest.h"

int main(void) {
    #pragma omp parallel
    if (omp_get_thread_num() == omp_get_num_threads() - 1)
        rest(4);
    return 0;
}
