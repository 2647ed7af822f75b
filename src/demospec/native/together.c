/* How surprising demonstrations are under each of many tasks: `plan/together.py` in C.

   The surprise is h = Σ #·(V − Q) over the agent's choices. While times are backed up, V of the layer just made
   and Q from what arriving is worth after it are at hand: no layer is kept. Where a task's monitor cannot change
   any more, V and Q have the certain reward in common, and the aimless agent's V − Q is the task's.

   Each task's numbers are made by the same operations in the same order whatever lies beside it. */

#include "native.h"

#include <stdlib.h>
#include <string.h>

enum { CHANNELS = 2 }; /* V, and the chance of acceptance */

typedef struct {
    int letters;
    const int32_t *states, *cells; /* of each monitor; tables one behind the other */
    const uint8_t *marks;
    double rationality;
} Monitors;

typedef struct {
    int columns, aimless;
    int32_t *column; /* by monitor state of all tasks in the pass */
    int32_t *source;
    double *added, *final;
} Columns;

typedef struct { /* nodes with the agent's choices, parents first, and the choices, later ones first */
    int64_t nodes, choices;
    const int32_t *above;  /* [node]: the node whose path it continues, or -1 */
    const int32_t *letter; /* [node]: what is read there */
    const int32_t *node;   /* [choice] */
    const int64_t *time, *state, *pair;
    const double *count;
} Tree;

static int is_live(const int32_t *row, int letters, int state) {
    for (int a = 0; a < letters; a++)
        if (row[a] != state) return 1;
    return 0;
}

static int live_states(const int32_t *cells, int states, int letters) {
    int live = 0;
    for (int m = 0; m < states; m++) live += is_live(cells + (size_t)m * (size_t)letters, letters, m);
    return live;
}

/* Lay out the columns of `count` monitors: `plan/columns.py`. */
static void lay_out(Columns *c, const Monitors *monitors, int count) {
    const int32_t *cells = monitors->cells;
    const uint8_t *marks = monitors->marks;
    int32_t *column = c->column;
    int letters = monitors->letters, columns = c->columns, at = 0;
    size_t width = CHANNELS * (size_t)columns;
    for (int k = 0; k <= letters; k++)
        for (int i = 0; i < columns; i++) c->source[(size_t)k * (size_t)columns + (size_t)i] = i;
    memset(c->added, 0, sizeof *c->added * width * ((size_t)letters + 1));
    memset(c->final, 0, sizeof *c->final * width * ((size_t)letters + 1));
    for (int task = 0; task < count; task++) {
        int states = monitors->states[task];
        for (int m = 0; m < states; m++)
            column[m] = is_live(cells + (size_t)m * (size_t)letters, letters, m) ? at++ : c->aimless;
        for (int m = 0; m < states; m++) {
            size_t own = (size_t)column[m];
            if (column[m] == c->aimless) continue;
            for (int k = 0; k <= letters; k++) {
                int target = k < letters ? cells[(size_t)m * (size_t)letters + (size_t)k] : m;
                double accepted = marks[target], worth = monitors->rationality * accepted;
                size_t place = (size_t)k * width + own;
                c->source[(size_t)k * (size_t)columns + own] = column[target];
                c->final[place] = worth;
                c->final[place + (size_t)columns] = accepted;
                if (column[target] == c->aimless) {
                    c->added[place] = worth;
                    c->added[place + (size_t)columns] = accepted;
                }
            }
        }
        column += states;
        marks += states;
        cells += (size_t)states * (size_t)letters;
    }
}

/* Run each monitor down the tree: the column of its state at each node, [task][node]. `at` is scratch, [node]. */
static void walk(const Tree *tree, const Monitors *monitors, const int32_t *column, int count, int32_t *at,
                 int32_t *columns) {
    const int32_t *cells = monitors->cells;
    int letters = monitors->letters;
    for (int task = 0; task < count; task++) {
        for (int64_t i = 0; i < tree->nodes; i++) {
            int before = tree->above[i] < 0 ? 0 : at[tree->above[i]];
            at[i] = tree->letter[i] == letters ? before : cells[before * letters + tree->letter[i]];
            columns[i] = column[at[i]];
        }
        columns += tree->nodes;
        column += monitors->states[task];
        cells += (size_t)monitors->states[task] * (size_t)letters;
    }
}

/* Write h and p_sat of each monitor; returns 0 without memory.

   Worlds are as in `demospec_back_up`. Monitors are taken in passes of at most `most_columns` columns, and at
   least one. Node 0 of the tree is its root, where the start state is read already. */
EXPORT int demospec_surprises(const int64_t *pair_offset, const int64_t *outcome_offset,
                              const int64_t *successor, const double *probability, const double *goes_on,
                              const int32_t *letter, const int32_t *depth, int letters, int64_t states,
                              int64_t most_actions, int64_t horizon, int64_t start, int64_t nodes,
                              const int32_t *above, const int32_t *read, int64_t choices, const int32_t *node,
                              const int64_t *time, const int64_t *state, const int64_t *pair,
                              const double *count, int tasks, const int32_t *monitor_states,
                              const int32_t *cells, const uint8_t *marks, double rationality,
                              int most_columns, double *surprise, double *satisfied) {
    Tree tree = {nodes, choices, above, read, node, time, state, pair, count};
    Monitors monitors = {letters, monitor_states, cells, marks, rationality};
    while (tasks > 0) {
        int taken = 0, live = 0, all_states = 0;
        const int32_t *next_cells = monitors.cells;
        while (taken < tasks) {
            int more = live_states(next_cells, monitors.states[taken], letters);
            if (taken && live + more >= most_columns) break;
            live += more;
            all_states += monitors.states[taken];
            next_cells += (size_t)monitors.states[taken++] * (size_t)letters;
        }
        Columns c;
        c.aimless = live;
        c.columns = (live + 4) & ~3;
        size_t width = CHANNELS * (size_t)c.columns, layer = (size_t)states * width;
        size_t of_letters = ((size_t)letters + 1) * width;
        size_t numbers = 2 * of_letters + 3 * layer + ((size_t)most_actions + 2) * width;
        double *memory = malloc(sizeof *memory * numbers);
        int32_t *integers = malloc(sizeof *integers * (of_letters + (size_t)all_states
                                                       + (size_t)nodes * ((size_t)taken + 1)));
        if (!memory || !integers) {
            free(memory);
            free(integers);
            return 0;
        }
        c.added = memory;
        c.final = c.added + of_letters;
        double *arrivals = c.final + of_letters, *table = arrivals + 2 * layer, *scratch = table + layer;
        c.source = integers;
        c.column = c.source + of_letters;
        int32_t *at = c.column + all_states, *columns = at + nodes;
        lay_out(&c, &monitors, taken);
        walk(&tree, &monitors, c.column, taken, at, columns);
        double *last = arrivals + (size_t)((horizon - 1) & 1) * layer;
        for (int64_t s = 0; s < states; s++)
            memcpy(last + (size_t)s * width, c.final + (size_t)letter[s] * width, sizeof *last * width);
        for (int i = 0; i < taken; i++) surprise[i] = 0.0;
        int64_t e = 0;
        for (int64_t t = horizon - 1; t >= 0; t--) {
            demospec_back_up(pair_offset, outcome_offset, successor, probability, goes_on, letter, depth, letters,
                             states, CHANNELS, c.columns, c.source, c.added, c.final, 0, states, t, t,
                             arrivals, table, scratch);
            const double *arrival = arrivals + (size_t)(t & 1) * layer;
            for (; e < choices && tree.time[e] == t; e++) {
                const double *value = table + (size_t)tree.state[e] * width;
                int64_t first = outcome_offset[tree.pair[e]], until = outcome_offset[tree.pair[e] + 1];
                for (int i = 0; i < taken; i++) {
                    size_t own = (size_t)columns[(size_t)i * (size_t)nodes + (size_t)tree.node[e]];
                    double q = 0.0;
                    for (int64_t o = first; o < until; o++)
                        q += probability[o] * arrival[(size_t)successor[o] * width + own];
                    surprise[i] += tree.count[e] * (value[own] - q);
                }
            }
        }
        const uint8_t *own_marks = monitors.marks;
        const int32_t *own_cells = monitors.cells;
        for (int i = 0; i < taken; i++) { /* column of the start, read once; a certain label is added */
            int own = columns[(size_t)i * (size_t)nodes];
            int m = read[0] == letters ? 0 : own_cells[read[0]];
            satisfied[i] = table[(size_t)start * width + (size_t)c.columns + (size_t)own]
                         + (own == c.aimless ? own_marks[m] : 0.0);
            own_marks += monitors.states[i];
            own_cells += (size_t)monitors.states[i] * (size_t)letters;
        }
        free(memory);
        free(integers);
        monitors.marks += all_states;
        monitors.cells = next_cells;
        monitors.states += taken;
        surprise += taken;
        satisfied += taken;
        tasks -= taken;
    }
    return 1;
}
