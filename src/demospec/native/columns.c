/* The monitor states of many tasks as columns of one backup: `plan/columns.py` in C. */

#include "columns.h"

#include <stdlib.h>
#include <string.h>

void close_monitors(Monitors *m) {
    free(m->rows);
    free(m->member);
    free(m->live);
    close_workshop(&m->workshop);
}

int open_monitors(Monitors *m, int count, int letters, const int32_t *states_of, const int32_t *cells,
                  const uint8_t *marks, const uint8_t *told, double rationality) {
    memset(m, 0, sizeof *m);
    for (int i = 0; i < count; i++) m->states += states_of[i];
    size_t n = (size_t)m->states, width = (size_t)letters;
    m->count = count;
    m->letters = letters;
    m->states_of = states_of;
    m->marks = marks;
    m->told = told;
    m->rationality = rationality;
    m->rows = malloc(sizeof *m->rows * n * width);
    m->member = malloc(sizeof *m->member * n);
    m->live = malloc(n);
    if (!open_workshop(&m->workshop, m->states) || !m->rows || !m->member || !m->live) return 0;
    m->class = m->workshop.class;
    int first = 0, kinds = 0, number[8] = {NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE};
    int32_t *row = m->rows;
    for (int i = 0; i < count; first += states_of[i++])
        for (size_t at = 0; at < (size_t)states_of[i] * width; at++) *row++ = first + *cells++;
    for (size_t q = 0; q < n; q++) {
        /* Where a monitor cannot change any more, numbers are made in another way, which shows in the last digits. */
        int live = 0;
        for (size_t a = 0; a < width; a++) live |= m->rows[q * width + a] != (int32_t)q;
        int kind = 4 * live + 2 * (marks[q] != 0) + (told[q] != 0);
        if (number[kind] == NONE) number[kind] = kinds++;
        m->class[q] = number[kind];
    }
    m->classes = refine(&m->workshop, m->states, letters, m->rows, kinds, m->states);
    for (int q = m->states - 1; q >= 0; q--) m->member[m->class[q]] = q;
    for (int c = 0; c < m->classes; c++) {
        row = m->rows + (size_t)m->member[c] * width;
        m->live[c] = 0;
        for (size_t a = 0; a < width; a++) m->live[c] |= row[a] != m->member[c];
    }
    return 1;
}

int take(const Monitors *m, int monitor, int first, int most, Columns *c) {
    int taken = 0;
    for (c->live = 0; monitor + taken < m->count; taken++) {
        int before = c->live;
        for (int q = first; q < first + m->states_of[monitor + taken]; q++) {
            int class = m->class[q];
            if (!m->live[class] || c->column[class] != NONE) continue;
            c->column[class] = c->live;
            c->class[c->live++] = class;
        }
        if (taken && c->live >= most) {
            while (c->live > before) c->column[c->class[--c->live]] = NONE;
            break;
        }
        first += m->states_of[monitor + taken];
    }
    c->columns = (c->live + 4) & ~3;
    return taken;
}

int column_of(const Monitors *m, const Columns *c, int state) {
    int class = m->class[state];
    return m->live[class] ? c->column[class] : c->live;
}

void lay_out(const Monitors *m, Columns *c) {
    size_t columns = (size_t)c->columns, width = CHANNELS * columns, letters = (size_t)m->letters;
    for (size_t k = 0; k <= letters; k++)
        for (size_t i = 0; i < columns; i++) c->source[k * columns + i] = (int32_t)i;
    memset(c->added, 0, sizeof *c->added * width * (letters + 1));
    memset(c->final, 0, sizeof *c->final * width * (letters + 1));
    for (size_t own = 0; own < (size_t)c->live; own++) {
        int state = m->member[c->class[own]];
        const int32_t *row = m->rows + (size_t)state * letters;
        for (size_t k = 0; k <= letters; k++) {
            int target = k < letters ? row[k] : state, column = column_of(m, c, target);
            double chance = m->told[target], worth = m->rationality * m->marks[target];
            double *final = c->final + k * width + own, *added = c->added + k * width + own;
            c->source[k * columns + own] = column;
            final[0] = worth;
            final[columns] = chance;
            if (column == c->live) {
                added[0] = worth;
                added[columns] = chance;
            }
        }
    }
}
