/* A group waits for the 3 units of a grandchild as well.
 * idle 0 2/6 20/24
 */
#include "rest.h"

int main(void) {
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp taskgroup
        {
            #pragma omp task
            {
                #pragma omp task
                rest(3);
            }
            #pragma omp task
            rest(1);
        }
    }
    return 0;
}
