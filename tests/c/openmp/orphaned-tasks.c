/* Tasks and a loop outside of any region: a team of one thread. The tasks are parallel all the same, the loop has one piece.
 *
 * work 7 7 7
 * span 5 5 5
 */
#include "spin.h"

int main(void) {
#pragma omp task
    spin(2);
#pragma omp task
    spin(2);
#pragma omp taskwait
#pragma omp for schedule(static)
    for (int i = 0; i < 3; i++)
        spin(1);
    return 0;
}
