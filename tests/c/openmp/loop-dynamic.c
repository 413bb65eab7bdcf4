/* A loop with a dynamic schedule: each iteration is a piece of its own where the runtime tells so. Otherwise, and
 * on one thread, which libomp gives the whole loop at once, a thread's part is one piece.
 *
 * work 17 17 17
 * span 17 3 3
 * span 14: 17 8..11 3..7
 * span libgomp: 3 3 3
 * site gcc: parallel 14
 * site gcc: loop 14
 */
#include "spin.h"

int main(void) {
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < 15; i++)
        spin(i == 7 ? 3 : 1);
    return 0;
}
