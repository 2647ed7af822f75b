/* How surprising demonstrations are under each of many tasks: `plan/together.py` in C.

   The surprise is h = Σ #·(V − Q) over the agent's choices. While times are backed up, V of the layer just
   made and Q from what arriving is worth after it are at hand: no layer is kept. Monitor states that behave
   alike, in one task or in several, are one column. Where a monitor cannot change any more, V and Q have the certain
   reward in common, and the aimless agent's V − Q is the task's.

   A column's numbers are made by the same operations in the same order whatever lies beside it. */

#include "columns.h"

#include <stdlib.h>
#include <string.h>

typedef struct { /* nodes where the agent chooses, parents first, and its choices, later ones first */
    int64_t nodes, choices;
    const int32_t *above;  /* [node]: the node whose path it continues, or -1 */
    const int32_t *letter; /* [node]: what is read there */
    const int32_t *node;   /* [choice] */
    const int64_t *time, *state, *pair;
    const double *count;
} Tree;

/* Run a monitor down the tree: `at` gets its state at each node, `columns` the state's column. */
static void walk(const Tree *tree, const Monitors *m, const Columns *c, int start, int32_t *at,
                 int32_t *columns) {
    for (int64_t i = 0; i < tree->nodes; i++) {
        int before = tree->above[i] < 0 ? start : at[tree->above[i]], letter = tree->letter[i];
        at[i] = letter == m->letters ? before : m->rows[(size_t)before * (size_t)m->letters + (size_t)letter];
        columns[i] = column_of(m, c, at[i]);
    }
}

/* Write h and p_sat of each monitor, and if asked the surprise of each choice; says what came of it.

   Worlds are as in `demospec_back_up`. Monitors are planned in passes of at most `most_columns` columns,
   or of one monitor. Episodes begin in one of `starts` states. */
EXPORT int demospec_surprises(const int64_t *pair_offset, const int64_t *outcome_offset,
                              const int64_t *successor, const double *probability, const double *toll,
                              const double *goes_on, const int32_t *letter, const int32_t *depth, int letters, int64_t states,
                              int64_t most_actions, int64_t horizon, int64_t starts, const int64_t *start,
                              const double *begins, int64_t nodes,
                              const int32_t *above, const int32_t *read, int64_t choices, const int32_t *node,
                              const int64_t *time, const int64_t *state, const int64_t *pair,
                              const double *count, int monitors, const int32_t *states_of,
                              const int32_t *cells, const uint8_t *marks, double rationality,
                              int most_columns, double *surprise, double *satisfied, double *of_choice,
                              const int *stop) {
    Tree tree = {nodes, choices, above, read, node, time, state, pair, count};
    Columns c = {0};
    Monitors m;
    int fine = open_monitors(&m, monitors, letters, states_of, cells, marks, marks, rationality);
    c.column = malloc(sizeof *c.column * 2 * (size_t)m.states);
    fine = fine && c.column;
    if (fine) {
        c.class = c.column + m.states;
        for (int i = 0; i < m.classes; i++) c.column[i] = NONE;
    }
    for (int done = 0, first = 0; fine && done < monitors && !stopped(stop);) {
        int taken = take(&m, done, first, most_columns, &c);
        size_t width = CHANNELS * (size_t)c.columns, layer = (size_t)states * width;
        size_t of_letters = ((size_t)letters + 1) * width, many = (size_t)nodes * (size_t)taken, firsts = (size_t)taken;
        size_t numbers = 2 * of_letters + 3 * layer + ((size_t)most_actions + 3) * width;
        double *memory = malloc(sizeof *memory * numbers);
        int32_t *integers = malloc(sizeof *integers * (of_letters + (size_t)nodes + many + firsts));
        fine = memory && integers;
        if (fine) {
            double *arrivals = memory + 2 * of_letters, *table = arrivals + 2 * layer;
            double *scratch = table + layer;
            int32_t *at = integers + of_letters, *columns = at + nodes, *first_of = columns + many;
            c.added = memory;
            c.final = memory + of_letters;
            c.source = integers;
            lay_out(&m, &c);
            for (int i = 0; i < taken; i++, first += states_of[done++]) {
                walk(&tree, &m, &c, first, at, columns + (size_t)i * (size_t)nodes);
                first_of[i] = first;
                surprise[i] = 0.0;
            }
            double *last = arrivals + (size_t)((horizon - 1) & 1) * layer;
            for (int64_t s = 0; s < states; s++)
                memcpy(last + (size_t)s * width, c.final + (size_t)letter[s] * width, sizeof *last * width);
            int64_t e = 0;
            for (int64_t t = horizon - 1; t >= 0 && !stopped(stop); t--) {
                demospec_back_up(pair_offset, outcome_offset, successor, probability, toll, goes_on, letter, depth,
                                 letters, states, CHANNELS, c.columns, c.source, c.added, c.final, 0, states,
                                 t, t, arrivals, table, scratch, NULL);
                const double *arrival = arrivals + (size_t)(t & 1) * layer;
                for (; e < choices && time[e] == t; e++) {
                    const double *value = table + (size_t)state[e] * width;
                    const int32_t *own = columns + node[e];
                    for (int i = 0; i < taken; i++, own += nodes) {
                        double q = 0.0;
                        for (int64_t o = outcome_offset[pair[e]]; o < outcome_offset[pair[e] + 1]; o++)
                            q += probability[o] * arrival[(size_t)successor[o] * width + (size_t)*own];
                        if (toll) q -= toll[pair[e]];
                        surprise[i] += count[e] * (value[*own] - q);
                        if (of_choice) of_choice[(size_t)i * (size_t)choices + (size_t)e] = value[*own] - q;
                    }
                }
            }
            for (int i = 0; i < taken; i++) {
                satisfied[i] = 0.0;
                for (int64_t b = 0; b < starts; b++) {
                    int read_first = letter[start[b]], at_first = first_of[i];
                    if (read_first < letters) at_first = m.rows[(size_t)at_first * (size_t)letters + (size_t)read_first];
                    const double *chance = table + (size_t)start[b] * width + (size_t)c.columns;
                    int own = column_of(&m, &c, at_first);
                    satisfied[i] += begins[b] * (chance[own] + (own == c.live ? marks[at_first] : 0.0));
                }
            }
            for (int i = 0; i < c.live; i++) c.column[c.class[i]] = NONE;
            surprise += taken;
            satisfied += taken;
            if (of_choice) of_choice += (size_t)taken * (size_t)choices;
        }
        free(memory);
        free(integers);
    }
    free(c.column);
    close_monitors(&m);
    if (!fine) return NO_MEMORY;
    return stopped(stop) ? STOPPED : DONE;
}
