/* `if(0)`: the parent waits for the task. Its own child is parallel to what follows.
 *
 * work 8 8 8
 * span 5 5 5
 */
#include "spin.h"

int main(void) {
    int later = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task if (later)
        {
#pragma omp task
            spin(3);
            spin(2);
        }
        spin(1);
#pragma omp task
        spin(2);
    }
    return later;
}
