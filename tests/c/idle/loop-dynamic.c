/* Five iterations of 4 units, which threads fetch one by one: the last one has a thread to itself on 2 threads.
 * idle 0 4/24 12/32
 */
#include "rest.h"

int main(void) {
    #pragma omp parallel for schedule(dynamic, 1)
    for (int i = 0; i < 5; i++)
        rest(4);
    return 0;
}
