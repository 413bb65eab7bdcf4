/* A loop in static chunks of two iterations: a thread's part is one piece.
 *
 * work 16 16 16
 * span 16 8 2
 */
#include "spin.h"

int main(void) {
#pragma omp parallel for schedule(static, 2)
    for (int i = 0; i < 16; i++)
        spin(1);
    return 0;
}
