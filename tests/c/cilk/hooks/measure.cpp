// The functions that users of Cilkscale call, by the names that its header declares: of C, and of C++ as OpenCilk's
// compiler mangles them.
#include "csi.h"

#include <cstdio>
#include <fstream>
#include <ostream>
#include <sstream>
#include <string>

#include "../spin.h"

extern "C" {
struct wsp_t {
    int64_t work, span, bspan;
};
CSI_WEAK wsp_t wsp_getworkspan(void);
CSI_WEAK wsp_t wsp_add(wsp_t one, wsp_t other);
CSI_WEAK wsp_t wsp_sub(wsp_t one, wsp_t other);
CSI_WEAK void wsp_dump(wsp_t measured, const char *tag);
}
CSI_WEAK wsp_t &operator+=(wsp_t &, const wsp_t &) noexcept;
CSI_WEAK wsp_t &operator-=(wsp_t &, const wsp_t &) noexcept;
CSI_WEAK std::ostream &operator<<(std::ostream &, const wsp_t &);
CSI_WEAK std::ofstream &operator<<(std::ofstream &, const wsp_t &);

static const source_loc_t functions[] = {{"main", 30, 1, "measure.cpp"}};
static const source_loc_t detaches[] = {{"first", 40, 5, "measure.cpp"}, {"second", 41, 5, "measure.cpp"}};
CSI_UNIT(functions, detaches)

static int failures = 0;

static void expect(const char *what, bool is_so) {
    if (!is_so) {
        std::fprintf(stderr, "measure: %s\n", what);
        ++failures;
    }
}

int main(int argc, char **argv) {
    if (!wsp_getworkspan)
        return 0;
    ENTER(0, 1);
    spin(5);
    const wsp_t begin = wsp_getworkspan();
    SPAWN(0, 0, spin(10));
    SPAWN(1, 0, spin(10));
    spin(10);
    SYNC(0, 0);
    const wsp_t end = wsp_getworkspan();
    wsp_t part = wsp_sub(end, begin);
    wsp_dump(part, "three of 10 ms");
    EXIT(0);
    expect("three spins are work of more than two", part.work > 25000000);
    expect("three spins beside each other are a path of one", part.span * 2 < part.work);
    expect("the burden comes on top", part.bspan >= part.span);

    const wsp_t sum = wsp_add(begin, part);
    expect("sum and difference", sum.work == end.work && sum.span == end.span && sum.bspan == end.bspan);
    wsp_t again = begin;
    expect("+= gives its left side", &(again += part) == &again && again.work == end.work);
    expect("-= too", &(again -= part) == &again && again.span == begin.span && again.bspan == begin.bspan);

    const wsp_t known = {2000000000, 500000000, 1000000000};
    std::ostringstream text;
    text << "a " << known << " b";
    expect("a stream gets the figures", text.str() == "a 2,0.5,4,1,2 b");
    if (argc > 1) {
        std::ofstream file(argv[1]);
        file << known;
        file << '\n';
    }
    return failures;
}
