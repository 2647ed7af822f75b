/* How many tasks read a path: `monitor.py`, `make_monitor`, in C, for tasks without bounds. */

#include "machines.h"
#include "native.h"

#include <stdlib.h>
#include <string.h>

static int counts_repeats(int states, int letters, const int32_t *table) {
    for (int i = 0; i < states * letters; i++)
        if (table[table[i] * letters + i % letters] != table[i]) return 1;
    return 0;
}

typedef struct {
    int32_t *number, *state, *last; /* of each pair of a state and the letter read last, or none */
    int32_t *table, *rows, *marks, *members, *kept;
    Workshop workshop;
} Memory;

static void close_memory(Memory *m) {
    free(m->number);
    free(m->table);
    close_workshop(&m->workshop);
}

static int open_memory(Memory *m, int pairs, int letters) {
    size_t n = (size_t)pairs;
    memset(m, 0, sizeof *m);
    m->number = malloc(sizeof *m->number * 6 * n);
    m->table = malloc(sizeof *m->table * 2 * n * (size_t)letters);
    if (!open_workshop(&m->workshop, pairs) || !m->number || !m->table) return 0;
    m->state = m->number + n;
    m->last = m->state + n;
    m->marks = m->last + n;
    m->members = m->marks + n;
    m->kept = m->members + n;
    m->rows = m->table + n * (size_t)letters;
    return 1;
}

/* The monitor of a task that remembers the last letter, and does not read it again. */
static int32_t remembering(Memory *m, Found *found, int states, int letters, const int32_t *table,
                           const uint8_t *marks) {
    int reached = 1, width = letters + 1;
    memset(m->number, -1, sizeof *m->number * (size_t)states * (size_t)width);
    m->number[letters] = m->state[0] = 0;
    m->last[0] = letters;
    for (int at = 0; at < reached; at++) {
        int q = m->state[at];
        m->marks[at] = marks[q];
        for (int a = 0; a < letters; a++) {
            int target = a == m->last[at] ? q : table[q * letters + a];
            int32_t *number = m->number + (size_t)target * (size_t)width + (size_t)a;
            if (*number < 0) {
                m->state[reached] = target;
                m->last[reached] = a;
                *number = reached++;
            }
            m->table[(size_t)at * (size_t)letters + (size_t)a] = *number;
        }
    }
    int count = minimal_form(&m->workshop, reached, letters, m->table, 0, m->marks, reached, m->rows,
                             m->members);
    for (int i = 0; i < count; i++) m->kept[i] = m->marks[m->members[i]];
    return add_found(found, count, m->rows, m->kept);
}

/* Monitors of minimal tasks that lie one behind the other, each once; `which` gets each task's number. */
EXPORT Found *demospec_monitors(int tasks, int letters, const int32_t *states, const int32_t *cells,
                                const uint8_t *marks, int merge_repeats, int32_t *which) {
    int largest = 1;
    for (int i = 0; i < tasks; i++) largest = states[i] > largest ? states[i] : largest;
    if ((int64_t)largest * (letters + 1) * letters > INT32_MAX) return NULL;
    Found *found = open_found(letters);
    Memory m;
    if (!open_memory(&m, largest * (letters + 1), letters) || !found) {
        close_memory(&m);
        demospec_found_close(found);
        return NULL;
    }
    for (int i = 0; i < tasks; i++) {
        int n = states[i];
        if (merge_repeats && counts_repeats(n, letters, cells)) {
            which[i] = remembering(&m, found, n, letters, cells, marks);
        } else {
            for (int q = 0; q < n; q++) m.kept[q] = marks[q];
            which[i] = add_found(found, n, cells, m.kept);
        }
        cells += (size_t)n * (size_t)letters;
        marks += n;
    }
    close_memory(&m);
    return found;
}
