/* Sections of 1 and 3 units.
 * idle 0 2/6 20/24
 */
#include "rest.h"

int main(void) {
    #pragma omp parallel sections
    {
        #pragma omp section
        rest(1);
        #pragma omp section
        rest(3);
    }
    return 0;
}
