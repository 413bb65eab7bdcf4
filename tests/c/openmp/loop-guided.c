/* A guided loop: the pieces get smaller, and the first is the largest.
 *
 * work 16 16 16
 * span 16 4..8 1..2
 * span 14: 16 8..12 2..8
 */
#include "spin.h"

int main(void) {
#pragma omp parallel for schedule(guided)
    for (int i = 0; i < 16; i++)
        spin(1);
    return 0;
}
