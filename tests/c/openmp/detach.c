/* A detached task ends with an event that another task fulfils; a third one follows it.
 *
 * compilers clang
 * work 5 5 5
 * work 14: - 5 5
 * span 4 4 4
 */
#include <omp.h>

#include "spin.h"

int main(void) {
    int x = 0;
    omp_event_handle_t event = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task depend(out : x) detach(event)
        spin(2);
#pragma omp task firstprivate(event)
        {
            spin(1);
            omp_fulfill_event(event);
        }
#pragma omp task depend(in : x)
        spin(2);
    }
    return x;
}
