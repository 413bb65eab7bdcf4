/* An ordered loop: waiting for one's turn is no work. The order itself is the schedule's, as with a lock.
 *
 * work 8 8 8
 * span 8 2 2
 * span 14: 8 4..6 2..4
 * span libgomp: 2 2 2
 * lock clang 16: 4 4 4
 * lock gcc 15: 4 4 4
 */
#include "spin.h"

int main(void) {
#pragma omp parallel for ordered schedule(dynamic)
    for (int i = 0; i < 4; i++) {
        spin(1);
#pragma omp ordered
        spin(1);
    }
    return 0;
}
