/* Threads wait for one another's critical sections of 2 units with a task at hand, which is no idle time; then at the barrier.
 * idle 0 2/8 56/128
 */
#include "rest.h"

int main(void) {
    #pragma omp parallel
    #pragma omp critical
    rest(2);
    return 0;
}
