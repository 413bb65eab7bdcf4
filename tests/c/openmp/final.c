/* A final task beside another one: its own tasks are parts of it.
 *
 * work 9 9 9
 * span 6 6 6
 */
#include "spin.h"

int main(void) {
    int always = 1;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task final(always)
        {
#pragma omp task
            spin(2);
#pragma omp task
            {
#pragma omp task
                spin(3);
            }
            spin(1);
        }
#pragma omp task
        spin(3);
    }
    return 0;
}
