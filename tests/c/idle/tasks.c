/* Four tasks of 4 units, which threads fetch at the barrier.
 * idle 0 0 8/16
 */
#include "rest.h"

int main(void) {
    #pragma omp parallel
    #pragma omp single
    for (int i = 0; i < 4; i++) {
        #pragma omp task
        rest(4);
    }
    return 0;
}
