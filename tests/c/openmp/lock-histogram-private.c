/* The histogram of lock-histogram.c, repaired: each thread counts in one of its own, and adds it to all under the lock.
 *
 * work 8.05 8.1 8.4
 * span 8.05 4.05 1.05
 * lock 25: 0.05 0.1 0.4
 * serialises none
 */
#include "spin.h"

#define ITEMS 16
#define BINS 4

static int bins[BINS];

int main(void) {
    int sum = 0;
#pragma omp parallel
    {
        int own[BINS] = {0};
#pragma omp for schedule(static) nowait
        for (int item = 0; item < ITEMS; item++) {
            spin(0.5);
            own[item % BINS]++;
        }
#pragma omp critical(histogram)
        {
            spin(0.05);
            for (int bin = 0; bin < BINS; bin++)
                bins[bin] += own[bin];
        }
    }
    for (int bin = 0; bin < BINS; bin++)
        sum += bins[bin];
    return sum != ITEMS;
}
