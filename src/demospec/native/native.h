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

/* Whether whoever asked wants to hear no more: another thread writes it while we work. */
static inline int stopped(const int *stop) { return stop && *(const volatile int *)stop; }

/* `backup.c` */
EXPORT void demospec_back_up(const int64_t *pair_offset, const int64_t *outcome_offset,
                             const int64_t *successor, const double *probability, const double *toll,
                             const double *goes_on,
                             const int32_t *letter, const int32_t *depth, int white, int64_t states,
                             int channels, int columns, const int32_t *source, const double *added,
                             const double *final, int64_t first, int64_t last, int64_t from,
                             int64_t down_to, double *arrivals, double *table, double *scratch, const int *stop);

#endif
