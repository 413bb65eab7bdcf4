/* Tasks that are created in a loop's iterations end at the barrier behind it, and are parallel to the
 * iterations.
 *
 * work 12 12 12
 * span 5 3 2
 */
#include "spin.h"

int main(void) {
#pragma omp parallel
    {
#pragma omp for schedule(static)
        for (int i = 0; i < 4; i++) {
#pragma omp task
            spin(2);
            spin(1);
        }
    }
    return 0;
}
