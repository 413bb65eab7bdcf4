/* Two regions with serial code between and behind: workers are told late that a region has ended.
 *
 * work 6 8 20
 * span 6 6 6
 */
#include <omp.h>

#include "spin.h"

int main(void) {
#pragma omp parallel
    spin(1);
    spin(2);
#pragma omp parallel
    spin(1);
    spin(2);
    return 0;
}
