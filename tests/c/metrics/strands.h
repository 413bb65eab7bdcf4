// Strands of known numbers of instructions: 2n and a few.
static inline void strand(long n) {
    __asm__ volatile("1: dec %0\n\tjnz 1b" : "+r"(n) : : "cc");
}
