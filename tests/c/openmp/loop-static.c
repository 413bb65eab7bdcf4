/* A loop with a static schedule: the runtime does not tell of its iterations, so a thread's part is one piece.
 *
 * work 8 8 8
 * span 8 4 1
 */
#include "spin.h"

int main(void) {
#pragma omp parallel for schedule(static)
    for (int i = 0; i < 8; i++)
        spin(1);
    return 0;
}
