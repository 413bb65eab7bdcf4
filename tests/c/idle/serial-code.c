/* After a first region the program works alone for 4 units.
 * idle 0 1/2 7/8
 */
#include "rest.h"

int main(void) {
    #pragma omp parallel
    {
    }
    rest(4);
    return 0;
}
