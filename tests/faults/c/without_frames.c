/* Code that keeps other things than frames in the frame pointer, all bits set among them. */
#include <stdint.h>

static uint64_t steps(uint64_t value, uint64_t frame) {
    uint64_t rounds = 2000;
#if defined(__x86_64__)
    __asm__ volatile("push %%rbp\n\tmov %2, %%rbp\n1:\timul $31, %0\n\tadd %%rbp, %0\n\tdec %1\n\tjnz 1b\n\tpop %%rbp"
                     : "+r"(value), "+r"(rounds)
                     : "r"(frame)
                     : "cc", "memory");
#else
    while (rounds--)
        value = value * 31 + frame;
#endif
    return value;
}

uint64_t without_frames(uint64_t seed, uint64_t times) {
    /* What a walk by frame pointers reads here is no frame. */
    volatile uint64_t words[4] = {UINT64_MAX, UINT64_MAX, UINT64_MAX - 1, 8};
    uint64_t value = seed;
    for (uint64_t i = 0; i < times; i++) {
        value = steps(value, UINT64_MAX);
        value = steps(value, (uint64_t)(uintptr_t)words);
        value = steps(value, 8) ^ words[i % 4];
        value &= UINT32_MAX;
        value = value % 1000;
    }
    return times;
}
