/* The minimal machine, breadth-first numbered: `tasks/tables.py`, `canonical`, in C; and collections. */

#include "machines.h"
#include "native.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SMALL = 64 };

static int slots_for(int states) {
    int slots = 8;
    while (slots < 2 * states) slots *= 2;
    return slots;
}

int open_workshop(Workshop *w, int states) {
    size_t n = (size_t)states, slots = (size_t)slots_for(states);
    w->states = states;
    w->signature = malloc(sizeof *w->signature * n);
    w->order = malloc(sizeof *w->order * (4 * n + slots));
    if (!w->signature || !w->order) return 0;
    w->place = w->order + n;
    w->class = w->place + n;
    w->next = w->class + n;
    w->slots = w->next + n;
    return 1;
}

void close_workshop(Workshop *w) {
    free(w->signature);
    free(w->order);
}

static uint64_t mixed(uint64_t before, uint64_t number) {
    uint64_t h = (before ^ number) * 0x9e3779b97f4a7c15u;
    return h ^ (h >> 29);
}

int refine(Workshop *w, int states, int letters, const int32_t *rows, int count, int most) {
    int32_t *class = w->class, *next = w->next, *slots = w->slots;
    uint64_t *signature = w->signature;
    size_t width = (size_t)letters;
    int slot_count = slots_for(states);
    uint64_t mask = (uint64_t)slot_count - 1;
    for (int before = 0; before < count && count < states;) { /* Moore's refinement */
        int fresh = 0;
        before = count;
        memset(slots, -1, sizeof *slots * (size_t)slot_count);
        for (int i = 0; i < states; i++) {
            const int32_t *one = rows + (size_t)i * width;
            uint64_t sum = mixed(0, (uint64_t)class[i]);
            for (size_t a = 0; a < width; a++) sum = mixed(sum, (uint64_t)class[one[a]]);
            signature[i] = sum;
            uint64_t slot = (sum ^ sum >> 32) & mask;
            for (;; slot = (slot + 1) & mask) {
                int j = slots[slot];
                if (j < 0) {
                    if (fresh == most) return 0;
                    slots[slot] = i;
                    next[i] = fresh++;
                    break;
                }
                if (signature[j] != sum || class[j] != class[i]) continue;
                const int32_t *other = rows + (size_t)j * width;
                size_t a = 0;
                while (a < width && class[one[a]] == class[other[a]]) a++;
                if (a == width) {
                    next[i] = next[j];
                    break;
                }
            }
        }
        memcpy(class, next, sizeof *class * (size_t)states);
        count = fresh;
    }
    return count;
}

int minimal_form(Workshop *w, int states, int letters, const int32_t *table, int start,
                 const int32_t *output, int most, int32_t *rows, int32_t *members) {
    int32_t *order = w->order, *place = w->place, *class = w->class;
    int reached = 1, count = 0, found = 0;
    size_t width = (size_t)letters;
    memset(place, -1, sizeof *place * (size_t)states);
    order[0] = start;
    place[start] = 0;
    for (int at = 0; at < reached; at++) { /* the part that is reached, numbered breadth first, in `rows` */
        const int32_t *row = table + (size_t)order[at] * width;
        for (size_t a = 0; a < width; a++) {
            int target = row[a];
            if (place[target] < 0) {
                place[target] = reached;
                order[reached++] = target;
            }
            rows[(size_t)at * width + a] = place[target];
        }
    }
    for (int i = 0; i < reached; i++) { /* classes by output */
        int j = 0;
        while (j < count && output[order[i]] != output[members[j]]) j++;
        if (j == count) {
            if (count == most) return 0;
            members[count++] = order[i];
        }
        class[i] = j;
    }
    if (!refine(w, reached, letters, rows, count, most)) return 0;
    /* The first state of each class, in breadth-first order of states: that is also the order of classes.
       A row is written where one has been read already. */
    for (int i = 0; i < reached; i++)
        if (class[i] == found) {
            for (size_t a = 0; a < width; a++)
                rows[(size_t)found * width + a] = class[rows[(size_t)i * width + a]];
            members[found++] = order[i];
        }
    return found;
}

/* `rows` gets the table of the minimal machine, `members` a state of each of its classes; returns how many
   there are. Made for small machines; others are refused. */
EXPORT int demospec_canonical(int states, int letters, const int32_t *table, int start,
                              const int32_t *output, int32_t *rows, int32_t *members) {
    int32_t numbers[4 * SMALL + 2 * SMALL];
    uint64_t signature[SMALL];
    if (states > SMALL) return -1;
    Workshop w = {SMALL, numbers, numbers + SMALL, numbers + 2 * SMALL, numbers + 3 * SMALL,
                  numbers + 4 * SMALL, signature};
    return minimal_form(&w, states, letters, table, start, output, states, rows, members);
}

/* -- collections -------------------------------------------------------------------------------------- */

Found *open_found(int letters) {
    Found *f = calloc(1, sizeof *f);
    if (f) f->letters = letters;
    return f;
}

EXPORT void demospec_found_close(Found *f) {
    if (!f) return;
    free(f->first_cell);
    free(f->first_state);
    free(f->cells);
    free(f->marks);
    free(f->slots);
    free(f);
}

/* The memory with room for so many things of so many bytes, as it was where there is enough; else NULL. */
static void *grown(void *memory, size_t *room, size_t needed, size_t bytes) {
    if (needed <= *room) return memory;
    size_t more = needed < 64 ? 64 : needed;
    if (more > SIZE_MAX / 2 / bytes) return NULL;
    void *moved = realloc(memory, 2 * more * bytes);
    if (moved) *room = 2 * more;
    return moved;
}

static size_t states_of(const Found *f, size_t number) {
    return f->first_state[number + 1] - f->first_state[number];
}

static uint64_t hash_of(size_t states, size_t cells, const int32_t *table, const uint8_t *marks) {
    uint64_t sum = mixed(1, states);
    for (size_t i = 0; i < cells; i++) sum = mixed(sum, (uint64_t)table[i]);
    for (size_t i = 0; i < states; i++) sum = mixed(sum, marks[i]);
    return sum ^ sum >> 32;
}

static int more_slots(Found *f) {
    size_t slot_count = f->slot_count ? 2 * f->slot_count : 256;
    size_t *slots = calloc(slot_count, sizeof *slots);
    if (!slots) return 0;
    for (size_t i = 0; i < f->count; i++) {
        size_t cells = f->first_cell[i + 1] - f->first_cell[i];
        size_t slot = (size_t)hash_of(states_of(f, i), cells, f->cells + f->first_cell[i],
                                      f->marks + f->first_state[i]);
        while (slots[slot &= slot_count - 1]) slot++;
        slots[slot] = i + 1;
    }
    free(f->slots);
    f->slots = slots;
    f->slot_count = slot_count;
    return 1;
}

static int make_room(Found *f, size_t states) {
    size_t cell = f->count ? f->first_cell[f->count] : 0, state = f->count ? f->first_state[f->count] : 0;
    size_t same = f->room, needed = f->count + 2;
    void *moved;
    if (!(moved = grown(f->first_cell, &same, needed, sizeof *f->first_cell))) return 0;
    f->first_cell = moved;
    if (!(moved = grown(f->first_state, &f->room, needed, sizeof *f->first_state))) return 0;
    f->first_state = moved;
    f->first_cell[f->count] = cell;
    f->first_state[f->count] = state;
    needed = cell + states * (size_t)f->letters;
    if (!(moved = grown(f->cells, &f->cells_room, needed, sizeof *f->cells))) return 0;
    f->cells = moved;
    if (!(moved = grown(f->marks, &f->marks_room, state + states, 1))) return 0;
    f->marks = moved;
    return 2 * (f->count + 1) <= f->slot_count || more_slots(f);
}

int32_t add_found(Found *f, int states, const int32_t *cells, const int32_t *marks) {
    size_t n = (size_t)states, width = n * (size_t)f->letters;
    if (f->failed || f->count >= INT32_MAX - 1 || !make_room(f, n)) {
        f->failed = 1;
        return -1;
    }
    size_t cell = f->first_cell[f->count], state = f->first_state[f->count];
    memcpy(f->cells + cell, cells, sizeof *cells * width);
    for (size_t i = 0; i < n; i++) f->marks[state + i] = (uint8_t)marks[i];
    size_t slot = (size_t)hash_of(n, width, f->cells + cell, f->marks + state);
    for (; f->slots[slot &= f->slot_count - 1]; slot++) {
        size_t other = f->slots[slot] - 1;
        if (states_of(f, other) == n
            && !memcmp(f->cells + f->first_cell[other], f->cells + cell, sizeof *cells * width)
            && !memcmp(f->marks + f->first_state[other], f->marks + state, n))
            return (int32_t)other;
    }
    f->slots[slot] = ++f->count;
    f->first_cell[f->count] = cell + width;
    f->first_state[f->count] = state + n;
    return (int32_t)(f->count - 1);
}

/* How many machines there are, and how many states they have together; 0 where memory was not enough. */
EXPORT int demospec_found_counts(const Found *f, int64_t *machines, int64_t *states) {
    if (f->failed) return 0;
    *machines = (int64_t)f->count;
    *states = f->count ? (int64_t)f->first_state[f->count] : 0;
    return 1;
}

static int width_of(int count) { /* ⌈log₂ count⌉ */
    int bits = 0;
    while ((count - 1) >> bits) bits++;
    return bits;
}

/* Write all of them one behind the other; `sizes` gets their description lengths: `tasks/encoding.py`. */
EXPORT void demospec_found_copy(const Found *f, int32_t *states, int32_t *cells, uint8_t *marks,
                                int64_t *sizes) {
    int k = width_of(f->letters);
    if (f->count) {
        memcpy(cells, f->cells, sizeof *cells * f->first_cell[f->count]);
        memcpy(marks, f->marks, f->first_state[f->count]);
    }
    for (size_t i = 0; i < f->count; i++) {
        int64_t n = (int64_t)states_of(f, i), chosen = 0, changes = 0;
        int s = width_of((int)n);
        const int32_t *cell = f->cells + f->first_cell[i];
        for (int64_t q = 0; q < n; q++) {
            chosen += f->marks[f->first_state[i] + (size_t)q];
            for (int a = 0; a < f->letters; a++) changes += *cell++ != q;
        }
        if (n - chosen < chosen) chosen = n - chosen;
        states[i] = (int32_t)n;
        sizes[i] = (2 * s + 1) + (2 * k + 1) + 1 + s + chosen * s + changes * (2 * s + k);
    }
}

/* What the tight code of canonical machines is made of, `tasks/code/automata.py`, `leads`: how many
   transitions leave their state, and in how many ways they could lead; 0 where these are too many to count
   exactly in a double. */
EXPORT void demospec_leads(int64_t machines, int letters, const int32_t *states, const int32_t *cells,
                           int32_t *leaving, double *options) {
    const double most = 9007199254740992.0; /* 2⁵³ */
    for (int64_t i = 0; i < machines; i++) {
        int n = states[i], left = 0, met = 1;
        double ways = 1.0;
        for (int at = 0; at < n * letters; at++) left += cells[at] != at / letters;
        leaving[i] = left;
        for (int q = 0; q < n; q++)
            for (int a = 0; a < letters; a++) {
                int target = *cells++;
                if (target == q) continue;
                if (left > n - met) {
                    int known = met < n ? met + 1 : n, others = known - (q < known);
                    if (others) ways *= others;
                    if (ways > most) ways = INFINITY;
                }
                left--;
                if (target >= met) met = target + 1;
            }
        options[i] = ways > most ? 0.0 : ways;
    }
}
