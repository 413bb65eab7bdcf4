/* Three regions of 2 units in which all work, and a unit of serial code after each.
 * idle 0 1/6 7/24
 */
#include "rest.h"

int main(void) {
    for (int i = 0; i < 3; i++) {
        #pragma omp parallel
        rest(2);
        rest(1);
    }
    return 0;
}
