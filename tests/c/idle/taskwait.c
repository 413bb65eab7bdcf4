/* The thread that waits for tasks of 3 units and 1 executes the last one, and then waits for the other; in the second part,
 * it executes the long one.
 * idle 0 4/12 40/48
 */
#include "rest.h"

int main(void) {
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task
        rest(3);
        #pragma omp task
        rest(1);
        #pragma omp taskwait
        #pragma omp task
        rest(1);
        #pragma omp task
        rest(3);
        #pragma omp taskwait
    }
    return 0;
}
