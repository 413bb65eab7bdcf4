/* A library that programs load and unload. */
unsigned long twice(unsigned long number) {
    return 2 * number;
}
