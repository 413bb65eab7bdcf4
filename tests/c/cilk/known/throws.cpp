// A task works for 10 ms and throws; what is caught goes on: 30 ms of work, 20 ms in a row, for the 10 ms of the other
// task lie beside the first.
#include <cilk/cilk.h>

#include <stdexcept>

#include "../spin.h"

static void fails(double milliseconds) {
    spin(milliseconds);
    throw std::runtime_error("thrown by a task");
}

static void spawns() {
    cilk_spawn spin(10);
    cilk_spawn fails(10);
    spin(100);
    cilk_sync;
}

int main() {
    bool is_caught = false;
    try {
        spawns();
    } catch (const std::runtime_error &) {
        is_caught = true;
    }
    spin(10);
    return is_caught ? 0 : 1;
}
