/* The program has 2 threads whatever it is told: the other cores have nothing to do for 4 units.
 * idle - 0 24/32
 */
#include "rest.h"

int main(void) {
    #pragma omp parallel num_threads(2)
    rest(4);
    return 0;
}
