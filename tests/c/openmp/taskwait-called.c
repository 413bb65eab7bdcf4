/* A taskwait in a function that is called awaits all children of the task, so those of the caller, too: the 2 units come after
 * the 3. If it awaited what the function spawned alone, as a cilk_sync does, the span would be 3.
 *
 * work 6 6 6
 * span 5 5 5
 */
#include "spin.h"

static void called(void) {
#pragma omp task
    spin(1);
#pragma omp taskwait
    spin(2);
}

int main(void) {
#pragma omp parallel
#pragma omp single
    {
#pragma omp task
        spin(3);
        called();
#pragma omp taskwait
    }
    return 0;
}
