// known/throws.cpp, with the compiler's calls: on unwinding a task's exit, then its continuation with bit 0, the sync, and
// the function's exit.
#include "csi.h"

#include <stdexcept>

#include "../spin.h"

static const source_loc_t functions[] = {{"fails", 10, 1, "known/throws.cpp"},
                                         {"spawns", 15, 1, "known/throws.cpp"},
                                         {"main", 22, 1, "known/throws.cpp"}};
static const source_loc_t detaches[] = {{0, 16, 5, "known/throws.cpp"}, {0, 17, 5, "known/throws.cpp"}};
CSI_UNIT(functions, detaches)

static void fails(double milliseconds) {
    spin(milliseconds);
    throw std::runtime_error("thrown by a task");
}

static void spawns() {
    ENTER(1, 1);
    SPAWN(0, 0, spin(10));
    DETACH(1, 0);
    try {
        TASK(1);
        fails(10);
        TASK_EXIT(1, 0);
    } catch (...) {
        TASK_EXIT(1, 0);
        CONTINUE(1, 0, 1);
        SYNC(1, 0);
        EXIT(1);
        throw;
    }
    CONTINUE(1, 0, 0);
    spin(100);
    SYNC(0, 0);
    EXIT(1);
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
