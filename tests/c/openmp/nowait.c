/* Two loops without a barrier between them: each thread goes from its part of one to its part of the other. With a barrier
 * the span would be 6.
 *
 * work 6 8 20
 * span 6 4 4
 */
#include <omp.h>

#include "spin.h"

int main(void) {
#pragma omp parallel
    {
        int threads = omp_get_num_threads();
#pragma omp for schedule(static, 1) nowait
        for (int i = 0; i < threads; i++)
            spin(i == 0 ? 3 : 1);
#pragma omp for schedule(static, 1)
        for (int i = 0; i < threads; i++)
            spin(i == threads - 1 ? 3 : 1);
    }
    return 0;
}
