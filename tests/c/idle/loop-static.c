/* Iterations of 0 to 7 units, dealt out in turn: on 2 threads 12 and 16.
 * idle 0 4/32 28/56
 */
#include "rest.h"

int main(void) {
    #pragma omp parallel for schedule(static, 1)
    for (int i = 0; i < 8; i++)
        rest(i);
    return 0;
}
