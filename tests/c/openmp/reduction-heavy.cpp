/* A reduction whose combination takes one unit: the work of the barrier counts, wherever the runtime does it. Each thread but
 * one is combined into another, or each into the original.
 *
 * work 9 10 16
 * span 9 5..6 2..9
 */
#include "spin.h"

struct Sum {
    int value = 0;
    void add(const Sum &other) {
        spin(1);
        value += other.value;
    }
};
#pragma omp declare reduction(sum : Sum : omp_out.add(omp_in))

int main() {
    Sum sum;
#pragma omp parallel for reduction(sum : sum) schedule(static)
    for (int i = 0; i < 8; i++) {
        spin(1);
        sum.value += i;
    }
    return sum.value != 28;
}
