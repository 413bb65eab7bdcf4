/* Tasks that their parent executes at once, and waits for, leave it at work.
 * idle 0 1/2 7/8
 */
#include "rest.h"

int main(void) {
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task if (0)
        rest(2);
        #pragma omp task final(1)
        {
            #pragma omp task
            rest(1);
            #pragma omp taskwait
        }
        #pragma omp taskwait
        rest(1);
    }
    return 0;
}
