/* What every compiler must be told in its own way. The library does not use Python's headers. */

#ifndef DEMOSPEC_NATIVE_H
#define DEMOSPEC_NATIVE_H

#include <stdint.h>

#if defined(_WIN32)
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif

#if defined(_MSC_VER)
#include <intrin.h>
static inline int lowest_bit(uint64_t bits) {
    unsigned long at;
    _BitScanForward64(&at, bits);
    return (int)at;
}
static inline int count_bits(uint64_t bits) { return (int)__popcnt64(bits); }
#else
static inline int lowest_bit(uint64_t bits) { return __builtin_ctzll(bits); }
static inline int count_bits(uint64_t bits) { return __builtin_popcountll(bits); }
#endif

#endif
