/* A loop in dynamic chunks of four iterations.
 *
 * work 16 16 16
 * span 16 4 4
 * span 14: 16 8..12 4..12
 * span libgomp: 4 4 4
 */
#include "spin.h"

int main(void) {
#pragma omp parallel for schedule(dynamic, 4)
    for (int i = 0; i < 16; i++)
        spin(1);
    return 0;
}
