/* A loop whose schedule the program sets as it runs.
 *
 * work 8 8 8
 * span 8 1 1
 * span 14: 8 4..6 1..4
 * span libgomp: 1 1 1
 */
#include <omp.h>

#include "spin.h"

int main(void) {
    omp_set_schedule(omp_sched_dynamic, 1);
#pragma omp parallel for schedule(runtime)
    for (int i = 0; i < 8; i++)
        spin(1);
    return 0;
}
