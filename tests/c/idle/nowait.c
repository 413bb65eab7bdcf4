/* The first loop, of 2 and 6 units, leads into the second, of 6 and 2, without a barrier. On 8 threads two work for 8 units.
 * idle 0 0 48/64
 */
#include "rest.h"

int main(void) {
    #pragma omp parallel
    {
        #pragma omp for schedule(static, 1) nowait
        for (int i = 0; i < 2; i++)
            rest(i == 0 ? 2 : 6);
        #pragma omp for schedule(static, 1)
        for (int i = 0; i < 2; i++)
            rest(i == 0 ? 6 : 2);
    }
    return 0;
}
