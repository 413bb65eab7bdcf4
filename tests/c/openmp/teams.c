/* Teams on the host: a league of two, of which each does 1 unit, and the second 1 more; before and behind it 1 unit.
 *
 * work 5 5 5
 * span 4 4 4
 * libgomp refuses GOMP_teams_reg
 */
#include <omp.h>

#include "spin.h"

int main(void) {
    spin(1);
#pragma omp teams num_teams(2) thread_limit(1)
    spin(1 + omp_get_team_num());
    spin(1);
    return 0;
}
