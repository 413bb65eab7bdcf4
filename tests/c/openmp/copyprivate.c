/* A value is handed from the single block to all threads.
 *
 * work 3 4 10
 * span 3 3 3
 * libgomp refuses GOMP_single_copy_start
 */
#include "spin.h"

int main(void) {
    int wrong = 0;
#pragma omp parallel reduction(+ : wrong)
    {
        int value;
#pragma omp single copyprivate(value)
        {
            spin(2);
            value = 7;
        }
        spin(1);
        wrong += value != 7;
    }
    return wrong;
}
