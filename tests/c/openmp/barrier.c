/* Phases between barriers: the first thread is the slow one in the first phase, the last thread in the second.
 *
 * work 5 7 19
 * span 5 5 5
 */
#include <omp.h>

#include "spin.h"

int main(void) {
#pragma omp parallel
    {
        spin(omp_get_thread_num() == 0 ? 3 : 1);
#pragma omp barrier
        spin(omp_get_thread_num() == omp_get_num_threads() - 1 ? 2 : 1);
    }
    return 0;
}
