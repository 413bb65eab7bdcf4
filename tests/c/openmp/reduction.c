/* A reduction at the end of a loop: each thread adds its part. The sum itself is tiny.
 *
 * work 8 8 8
 * span 8 4 1
 */
#include "spin.h"

int main(void) {
    int sum = 0;
#pragma omp parallel for reduction(+ : sum) schedule(static)
    for (int i = 0; i < 8; i++) {
        spin(1);
        sum += i;
    }
    return sum != 28;
}
