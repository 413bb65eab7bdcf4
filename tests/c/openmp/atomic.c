/* Atomic updates: among them one that a runtime may do under a lock.
 *
 * work 1 2 8
 * span 1 1 1
 */
#include "spin.h"

#ifdef __clang__
typedef double place;
#else
// No processor has an instruction for it.
typedef long double place;
#endif

int main(void) {
    place sum = 0;
    int count = 0, threads = 0;
#pragma omp parallel
    {
        spin(1);
#pragma omp atomic
        sum += 1;
#pragma omp atomic
        count++;
#pragma omp barrier
#pragma omp single
        threads = count;
    }
    return sum != (place)threads;
}
