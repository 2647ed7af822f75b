/* The soft Bellman backup, layer by layer in time: `plan/numpy_backup.py` in C.

   What belongs to one world state lies together, [channels][columns], so that every operation runs along the
   columns: the monitor states of all tasks that are planned at once. Columns come in fours. */

#include "native.h"

#include <string.h>

/* One build, whatever vectors the processor has. Nothing is fused, so that all of them give the same bits. */
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__linux__)
#define FOR_EVERY_PROCESSOR __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define FOR_EVERY_PROCESSOR
#endif

#if defined(_MSC_VER)
#define RESTRICT __restrict
#else
#define RESTRICT restrict
#endif

typedef double *RESTRICT Out;
typedef const double *RESTRICT In;

typedef struct {
    const int64_t *pair_offset, *outcome_offset, *successor;
    const double *probability;
    const double *toll;    /* [P]: what an action costs the agent; NULL where nothing does */
    const double *goes_on; /* [2][S]: the chance that an episode goes on in s, before the horizon; then as the agent sees it */
    const int32_t *letter; /* [S]: the letter read in s, or `white` */
    const int32_t *depth;  /* [S]: the fewest steps that lead to s */
    int white;
    int64_t states;
} World;

typedef struct {
    int channels, columns;
    const int32_t *source; /* [letter][column]: where it reads its value after the letter … */
    const double *added;   /* [letter][channel][column]: … what is added to that … */
    const double *final;   /* [letter][channel][column]: … and what it is worth if the episode ends */
} Tasks;

static inline double as_number(int64_t bits) {
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}
static inline int64_t as_bits(double number) {
    int64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

/* exp of a number that is not above 0: eˣ = 2ⁿ·eʳ with |r| ≤ ln 2 / 2. The polynomial (eʳ − 1 − r) / r² goes
   through Chebyshev's points; it is off by less than 2·10⁻¹⁷. */
static inline double exp_of(double x) {
    const double shift = 6755399441055744.0; /* 1.5·2⁵²: adding it rounds to an integer */
    double bounded = x < -700.0 ? -700.0 : x;
    double n = bounded * 1.4426950408889634 + shift;
    int64_t power = as_bits(n);
    n -= shift;
    double r = (bounded - n * 0.6931471803691238) - n * 1.9082149292705877e-10;
    double r2 = r * r, r4 = r2 * r2;
    double low = (0.5000000000000001 + 0.16666666666666669 * r)
               + (0.04166666666662413 + 0.008333333333330062 * r) * r2;
    double high = (0.0013888888917213717 + 0.00019841269863053618 * r)
                + (2.4801521295954376e-05 + 2.7557268459997064e-06 * r) * r2
                + (2.7620088445409746e-07 + 2.510038549551032e-08 * r) * r4;
    double p = 1.0 + (r + r2 * (low + r4 * high));
    double result = as_number((int64_t)((uint64_t)as_bits(p) + ((uint64_t)power << 52)));
    return x < -700.0 ? 0.0 : result;
}

/* ln of a number of at least 1: ln x = n·ln 2 + 2 artanh s with x = 2ⁿ·m, s = (m − 1) / (m + 1). */
static inline double log_of(double x) {
    const uint64_t root = 0x3fe6a09e667f3bcd; /* √½: m lies in [√½, √2) */
    uint64_t bits = (uint64_t)as_bits(x) - root;
    double m = as_number((int64_t)((bits & 0x000fffffffffffff) + root));
    double n = as_number((int64_t)(bits >> 52 | 0x4330000000000000)) - 4503599627370496.0;
    double s = (m - 1.0) / (m + 1.0);
    double z = s * s, z2 = z * z;
    double p = z * ((0.3333333333333335 + 0.19999999999949722 * z)
                    + (0.14285714313001635 + 0.11111105565129939 * z) * z2
                    + ((0.09091444727837474 + 0.07665855309105386 * z) + 0.07308292712444311 * z2) * (z2 * z2));
    return n * 0.6931471803691238 + ((s + s) + ((s + s) * p + n * 1.9082149292705877e-10));
}

enum { BLOCK = 128 }; /* columns that are worked on at once: what a state's actions need of them stays near */

/* Counts are multiples of four, and the compiler may know. */
#define EACH(i, count) for (int i = 0; i < ((count) & ~3); i++)

static inline void scale(int n, Out to, In from, double by) { EACH(i, n) to[i] = by * from[i]; }
static inline void scale_two(int n, Out to, In one, double by, In two, double other) {
    EACH(i, n) to[i] = by * one[i] + other * two[i];
}
static inline void add_scaled(int n, Out to, In from, double by) { EACH(i, n) to[i] += by * from[i]; }
static inline void raise_to(int n, Out to, In from) { EACH(i, n) to[i] = from[i] > to[i] ? from[i] : to[i]; }
static inline void exponentials(int n, Out to, In top) { EACH(i, n) to[i] = exp_of(to[i] - top[i]); }
static inline void lower(int n, Out to, double by) { EACH(i, n) to[i] -= by; }
static inline void add(int n, Out to, In from) { EACH(i, n) to[i] += from[i]; }
static inline void add_products(int n, Out to, In one, In other) { EACH(i, n) to[i] += one[i] * other[i]; }
static inline void quotients(int n, Out to, In from, In by) { EACH(i, n) to[i] = from[i] / by[i]; }
static inline void with_logarithms(int n, Out to, In from, In of) { EACH(i, n) to[i] = from[i] + log_of(of[i]); }

static inline void gather(int n, Out to, In row, const int32_t *RESTRICT source, In added, In final, double on,
                          double off) {
    EACH(i, n) to[i] = on * (row[source[i]] + added[i]) + off * final[i];
}

/* An action's weight, and with one channel beside V what it adds to that: numbers that need not be kept. */
static inline void weigh(int n, Out total, In q, In top) { EACH(i, n) total[i] += exp_of(q[i] - top[i]); }
static inline void weigh_with(int n, Out total, Out beside, In q, In chance, In top) {
    EACH(i, n) {
        double weight = exp_of(q[i] - top[i]);
        total[i] += weight;
        beside[i] += weight * chance[i];
    }
}

/* Back up the states from `first` to `last` at one time: rows of the table, and what arriving there is worth. */
FOR_EVERY_PROCESSOR
static void back_up(const World *w, const Tasks *tasks, int64_t first, int64_t last, int64_t time,
                    const double *arrival, double *next, double *table, double *scratch) {
    const int columns = tasks->columns & ~3, channels = tasks->channels, width = channels * columns;
    double *pairs = scratch + width;
    for (int64_t s = first; s < last; s++) {
        double *row = table ? table + s * width : scratch;
        int64_t begin = w->pair_offset[s], count = w->pair_offset[s + 1] - begin;
        if (w->depth[s] > time) continue;
        for (int from = 0; count && from < columns; from += BLOCK) {
            const int some = (columns - from < BLOCK ? columns - from : BLOCK) & ~3, block = channels * some;
            for (int64_t a = 0; a < count; a++) {
                double *q = pairs + a * block;
                int64_t o = w->outcome_offset[begin + a], until = w->outcome_offset[begin + a + 1];
                for (int c = 0; c < channels; c++) {
                    const double *worth = arrival + c * columns + from;
                    if (o + 1 < until)
                        scale_two(some, q + c * some, worth + w->successor[o] * width, w->probability[o],
                                  worth + w->successor[o + 1] * width, w->probability[o + 1]);
                    else
                        scale(some, q + c * some, worth + w->successor[o] * width, w->probability[o]);
                    for (int64_t more = o + 2; more < until; more++)
                        add_scaled(some, q + c * some, worth + w->successor[more] * width,
                                   w->probability[more]);
                }
                if (w->toll) lower(some, q, w->toll[begin + a]);
            }
            double *top = pairs + count * block, *total = top + some;
            memcpy(top, pairs, sizeof *top * (size_t)some);
            for (int64_t a = 1; a < count; a++) raise_to(some, top, pairs + a * block);
            memset(total, 0, sizeof *total * (size_t)block);
            for (int64_t a = 0; a < count; a++) {
                double *q = pairs + a * block;
                if (channels == 1) {
                    weigh(some, total, q, top);
                } else if (channels == 2) {
                    weigh_with(some, total, total + some, q, q + some, top);
                } else {
                    exponentials(some, q, top);
                    add(some, total, q);
                    for (int c = 1; c < channels; c++) add_products(some, total + c * some, q, q + c * some);
                }
            }
            for (int c = 1; c < channels; c++) quotients(some, row + c * columns + from, total + c * some, total);
            with_logarithms(some, row + from, top, total);
        }
        if (next) {
            double *to = next + s * width;
            double on = w->goes_on[s], off = 1.0 - on, seen = w->goes_on[w->states + s];
            const double *final = tasks->final + (size_t)w->letter[s] * width;
            if (!count || on == 0.0) {
                memcpy(to, final, sizeof *to * (size_t)width);
            } else if (w->letter[s] == w->white) {
                scale(columns, to, row, seen);
                if (seen < 1) add_scaled(columns, to, final, 1.0 - seen);
                scale(width - columns, to + columns, row + columns, on);
                if (off > 0) add_scaled(width - columns, to + columns, final + columns, off);
            } else {
                const int32_t *source = tasks->source + (size_t)w->letter[s] * columns;
                const double *added = tasks->added + (size_t)w->letter[s] * width;
                gather(columns, to, row, source, added, final, seen, 1.0 - seen);
                for (int at = columns; at < width; at += columns)
                    gather(columns, to + at, row + at, source, added + at, final + at, on, off);
            }
        }
    }
}

/* Back up the times from `from` down to `down_to`, for the states from `first` to `last`.

   `arrivals` is [2][S][channels][columns]: what arriving is worth after time t lies at t mod 2, for the
   first time put there by the caller; `table`, if any, begins with `down_to`; `scratch` has room for
   (most actions + 3)·channels·columns. Once `stop` is set, the rest is not backed up. Several states at once may be backed up by different callers, one
   time after the other. */
EXPORT void demospec_back_up(const int64_t *pair_offset, const int64_t *outcome_offset,
                             const int64_t *successor, const double *probability, const double *toll,
                             const double *goes_on,
                             const int32_t *letter, const int32_t *depth, int white, int64_t states,
                             int channels, int columns, const int32_t *source, const double *added,
                             const double *final, int64_t first, int64_t last, int64_t from,
                             int64_t down_to, double *arrivals, double *table, double *scratch, const int *stop) {
    World w = {pair_offset, outcome_offset, successor, probability, toll, goes_on, letter, depth, white, states};
    Tasks tasks = {channels, columns, source, added, final};
    size_t layer = (size_t)states * channels * columns;
    for (int64_t t = from; t >= down_to && !stopped(stop); t--)
        back_up(&w, &tasks, first, last, t, arrivals + (t & 1) * layer, arrivals + (~t & 1) * layer,
                table ? table + (size_t)(t - down_to) * layer : NULL, scratch);
}
