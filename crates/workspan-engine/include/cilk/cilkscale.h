/* Cilkscale's functions to measure a part of a program, for compilers that come without OpenCilk's headers. Where no
 * profile is taken, all measurements are zero, and nothing is written. */
#ifndef WORKSPAN_CILKSCALE_H
#define WORKSPAN_CILKSCALE_H

#include <stdint.h>

#ifdef __cplusplus
#include <ostream>
extern "C" {
#endif

/* Nanoseconds of work, of span and of burdened span. */
typedef struct wsp_t {
    int64_t work, span, bspan;
} wsp_t;

/* There if libworkspan.so, or Cilkscale, is loaded. */
__attribute__((weak)) wsp_t wsp_getworkspan(void);
__attribute__((weak)) void wsp_dump(wsp_t measured, const char *tag);

#ifdef __cplusplus
}
#endif

static inline wsp_t wsp_zero(void) {
    wsp_t zero = {0, 0, 0};
    return zero;
}

/* The work and the span up to here. */
static inline wsp_t workspan_wsp_now(void) { return wsp_getworkspan ? wsp_getworkspan() : wsp_zero(); }

/* A row of the table that CILKSCALE_OUT names. */
static inline void workspan_wsp_dump(wsp_t measured, const char *tag) {
    if (wsp_dump)
        wsp_dump(measured, tag);
}

static inline wsp_t wsp_add(wsp_t one, wsp_t other) {
    wsp_t sum = {one.work + other.work, one.span + other.span, one.bspan + other.bspan};
    return sum;
}

static inline wsp_t wsp_sub(wsp_t one, wsp_t other) {
    wsp_t difference = {one.work - other.work, one.span - other.span, one.bspan - other.bspan};
    return difference;
}

#define wsp_getworkspan() workspan_wsp_now()
#define wsp_dump(measured, tag) workspan_wsp_dump(measured, tag)

#ifdef __cplusplus
static inline wsp_t &operator+=(wsp_t &sum, const wsp_t &other) noexcept { return sum = wsp_add(sum, other); }
static inline wsp_t &operator-=(wsp_t &difference, const wsp_t &other) noexcept {
    return difference = wsp_sub(difference, other);
}
static inline wsp_t operator+(const wsp_t &one, const wsp_t &other) noexcept { return wsp_add(one, other); }
static inline wsp_t operator-(const wsp_t &one, const wsp_t &other) noexcept { return wsp_sub(one, other); }

/* The figures of a row, in seconds. */
static inline std::ostream &operator<<(std::ostream &stream, const wsp_t &measured) {
    const double work = static_cast<double>(measured.work), span = static_cast<double>(measured.span),
                 burdened = static_cast<double>(measured.bspan);
    return stream << work * 1e-9 << ',' << span * 1e-9 << ',' << work / span << ',' << burdened * 1e-9 << ','
                  << work / burdened;
}
#endif

#endif
