/* Tasks that take part in the reduction of their group.
 *
 * work 9 9 9
 * span 2 2 2
 */
#include "spin.h"

int main(void) {
    int sum = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskgroup task_reduction(+ : sum)
        {
            for (int i = 0; i < 8; i++) {
#pragma omp task in_reduction(+ : sum)
                {
                    spin(1);
                    sum += i;
                }
            }
        }
        spin(1);
    }
    return sum != 28;
}
