/* Four tasks of 2 units, one after another.
 * idle 0 1/2 7/8
 */
#include "rest.h"

int main(void) {
    int cell = 0;
    #pragma omp parallel
    #pragma omp single
    for (int i = 0; i < 4; i++) {
        #pragma omp task depend(inout : cell)
        rest(2);
    }
    return cell;
}
