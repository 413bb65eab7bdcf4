/* Three sections. clang hands them out statically, so a thread's part is one piece; of gcc's each is one where the runtime
 * tells so.
 *
 * work 6 6 6
 * span clang: 6 3 3
 * span gcc: 3 3 3
 * span gcc 14: 6 3..5 3..5
 */
#include "spin.h"

int main(void) {
#pragma omp parallel sections
    {
#pragma omp section
        spin(1);
#pragma omp section
        spin(2);
#pragma omp section
        spin(3);
    }
    return 0;
}
