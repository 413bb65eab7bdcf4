/* As loops of 1 and 3, and of 3 and 1 units, with a barrier between them: each lets the other thread wait for 2 units.
 * idle 0 4/12 40/48
 */
#include "rest.h"

int main(void) {
    #pragma omp parallel
    {
        #pragma omp for schedule(static, 1) nowait
        for (int i = 0; i < 2; i++)
            rest(i == 0 ? 1 : 3);
        #pragma omp barrier
        #pragma omp for schedule(static, 1)
        for (int i = 0; i < 2; i++)
            rest(i == 0 ? 3 : 1);
    }
    return 0;
}
