/* How often the agent of one task satisfies another, for many pairs of tasks: `belief/distance.py` in C. */

#include "columns.h"

#include <stdlib.h>
#include <string.h>

typedef struct { /* pairs of monitors, each read side by side as one machine; one behind the other */
    int32_t *states, *cells;
    uint8_t *mine, *other; /* marks of the first, and of the second */
    int32_t *number, *first, *second;
    size_t total, room;
} Pairs;

static void close_pairs(Pairs *p) {
    free(p->states);
    free(p->cells);
    free(p->mine);
    free(p->other);
    free(p->number);
}

/* Make room for so many more states. */
static int make_room(Pairs *p, size_t more, size_t letters) {
    if (p->total + more <= p->room) return 1;
    size_t room = 2 * (p->total + more);
    int32_t *cells = realloc(p->cells, sizeof *cells * room * letters);
    if (cells) p->cells = cells;
    uint8_t *mine = realloc(p->mine, room);
    if (mine) p->mine = mine;
    uint8_t *other = realloc(p->other, room);
    if (other) p->other = other;
    if (!cells || !mine || !other) return 0;
    p->room = room;
    return 1;
}

/* Add what two machines reach together, numbered breadth first: `side_by_side.py`, `product`. */
static int add_pair(Pairs *p, int at, int letters, int states, const int32_t *table, const uint8_t *marks,
                    int others, const int32_t *other_table, const uint8_t *other_marks) {
    size_t width = (size_t)letters;
    int reached = 1;
    if (!make_room(p, (size_t)states * (size_t)others, width)) return 0;
    memset(p->number, -1, sizeof *p->number * (size_t)states * (size_t)others);
    p->number[0] = p->first[0] = p->second[0] = 0;
    int32_t *row = p->cells + p->total * width;
    for (int node = 0; node < reached; node++) {
        int q = p->first[node], r = p->second[node];
        p->mine[p->total + (size_t)node] = marks[q];
        p->other[p->total + (size_t)node] = other_marks[r];
        for (size_t a = 0; a < width; a++) {
            int next = table[(size_t)q * width + a], beside = other_table[(size_t)r * width + a];
            int32_t *number = p->number + (size_t)next * (size_t)others + (size_t)beside;
            if (*number < 0) {
                p->first[reached] = next;
                p->second[reached] = beside;
                *number = reached++;
            }
            *row++ = *number;
        }
    }
    p->states[at] = reached;
    p->total += (size_t)reached;
    return 1;
}

/* Read all pairs side by side; `pair` has the numbers of two monitors, whose states lie one behind the other. */
static int open_pairs(Pairs *p, int monitors, int letters, const int32_t *states_of, const int32_t *cells,
                      const uint8_t *marks, int pairs, const int32_t *pair) {
    size_t largest = 1, *first = malloc(sizeof *first * (size_t)(monitors ? monitors : 1)), total = 0;
    memset(p, 0, sizeof *p);
    for (int i = 0; first && i < monitors; total += (size_t)states_of[i++]) {
        first[i] = total;
        if ((size_t)states_of[i] > largest) largest = (size_t)states_of[i];
    }
    p->states = malloc(sizeof *p->states * (size_t)pairs);
    p->number = malloc(sizeof *p->number * 3 * largest * largest);
    int fine = first && p->states && p->number;
    if (fine) {
        p->first = p->number + largest * largest;
        p->second = p->first + largest * largest;
    }
    for (int i = 0; fine && i < pairs; i++) {
        int one = pair[2 * i], two = pair[2 * i + 1];
        fine = add_pair(p, i, letters, states_of[one], cells + first[one] * (size_t)letters, marks + first[one],
                        states_of[two], cells + first[two] * (size_t)letters, marks + first[two]);
    }
    free(first);
    return fine;
}

/* Write [pair][start]: the chance that the agent of each pair's first task satisfies the second, from each of
   `starts` states; says what came of it. Worlds are as in `demospec_back_up`; all agents are equally
   rational. Pairs are planned in passes of at most `most_columns` columns, or of one pair. */
EXPORT int demospec_seconds(const int64_t *pair_offset, const int64_t *outcome_offset, const int64_t *successor,
                            const double *probability, const double *toll, const double *goes_on,
                            const int32_t *letter, const int32_t *depth, int letters, int64_t states,
                            int64_t most_actions, int64_t horizon, int64_t starts, const int64_t *start,
                            int monitors, const int32_t *states_of, const int32_t *cells, const uint8_t *marks,
                            int pairs, const int32_t *pair, double rationality, int most_columns,
                            double *satisfied, const int *stop) {
    Columns c = {0};
    Monitors m = {0};
    Pairs p;
    int fine = open_pairs(&p, monitors, letters, states_of, cells, marks, pairs, pair)
            && open_monitors(&m, pairs, letters, p.states, p.cells, p.mine, p.other, rationality);
    c.column = malloc(sizeof *c.column * 2 * (size_t)(m.states ? m.states : 1));
    fine = fine && c.column;
    if (fine) {
        c.class = c.column + m.states;
        for (int i = 0; i < m.classes; i++) c.column[i] = NONE;
    }
    for (int done = 0, first = 0; fine && done < pairs && !stopped(stop);) {
        int taken = take(&m, done, first, most_columns, &c);
        size_t width = CHANNELS * (size_t)c.columns, layer = (size_t)states * width;
        size_t of_letters = ((size_t)letters + 1) * width;
        double *memory = malloc(sizeof *memory * (2 * of_letters + 3 * layer + ((size_t)most_actions + 3) * width));
        c.source = malloc(sizeof *c.source * of_letters);
        fine = memory && c.source;
        if (fine) {
            double *arrivals = memory + 2 * of_letters, *table = arrivals + 2 * layer;
            c.added = memory;
            c.final = memory + of_letters;
            lay_out(&m, &c);
            memset(table, 0, sizeof *table * layer);
            double *last = arrivals + (size_t)((horizon - 1) & 1) * layer;
            for (int64_t s = 0; s < states; s++)
                memcpy(last + (size_t)s * width, c.final + (size_t)letter[s] * width, sizeof *last * width);
            if (horizon > 1)
                demospec_back_up(pair_offset, outcome_offset, successor, probability, toll, goes_on, letter, depth,
                                 letters, states, CHANNELS, c.columns, c.source, c.added, c.final, 0, states,
                                 horizon - 1, 1, arrivals, NULL, table + layer, stop);
            demospec_back_up(pair_offset, outcome_offset, successor, probability, toll, goes_on, letter, depth,
                             letters, states, CHANNELS, c.columns, c.source, c.added, c.final, 0, states, 0, 0,
                             arrivals, table, table + layer, stop);
            for (int i = 0; i < taken; first += p.states[done + i++])
                for (int64_t b = 0; b < starts; b++) {
                    int read = letter[start[b]], at = first;
                    if (read < letters) at = m.rows[(size_t)first * (size_t)letters + (size_t)read];
                    int own = column_of(&m, &c, at);
                    *satisfied++ = table[(size_t)start[b] * width + (size_t)c.columns + (size_t)own]
                                 + (own == c.live ? (double)p.other[at] : 0.0);
                }
            done += taken;
            for (int i = 0; i < c.live; i++) c.column[c.class[i]] = NONE;
        }
        free(memory);
        free(c.source);
    }
    free(c.column);
    close_monitors(&m);
    close_pairs(&p);
    if (!fine) return NO_MEMORY;
    return stopped(stop) ? STOPPED : DONE;
}
