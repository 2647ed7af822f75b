/* Automata near an automaton, and those that pairs make: `tasks/edits.py` and `tasks/detours.py` in C.

   Both give the same automata in the same order, and the Python says what they are. */

#include "machines.h"
#include "native.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    int states, letters, most; /* of the automaton that is changed; most: states of what is kept */
    int32_t *table, *marks;    /* what is changed, with room for three more states … */
    int32_t *rows, *members, *kept; /* … and what comes of it */
    const int32_t *original;
    Workshop workshop;
    Found *found;
} Bench;

static void close_bench(Bench *b) {
    free(b->table);
    free(b->marks);
    free(b->rows);
    free(b->members);
    free(b->kept);
    close_workshop(&b->workshop);
}

/* Lay the automaton on the bench; it counts as found, and comes first. */
static int open_bench(Bench *b, int states, int letters, const int32_t *table, const uint8_t *marks,
                      int most) {
    size_t n = (size_t)states + 3, cells = n * (size_t)letters;
    memset(b, 0, sizeof *b);
    b->states = states;
    b->letters = letters;
    b->most = most;
    b->original = table;
    b->found = open_found(letters);
    b->table = malloc(sizeof *b->table * cells);
    b->rows = malloc(sizeof *b->rows * cells);
    b->marks = malloc(sizeof *b->marks * n);
    b->members = malloc(sizeof *b->members * n);
    b->kept = malloc(sizeof *b->kept * n);
    if (!open_workshop(&b->workshop, states + 3) || !b->found || !b->table || !b->rows || !b->marks
        || !b->members || !b->kept)
        return 0;
    memcpy(b->table, table, sizeof *table * (size_t)states * (size_t)letters);
    for (int q = 0; q < states; q++) b->marks[q] = marks[q];
    add_found(b->found, states, b->table, b->marks);
    return 1;
}

static int32_t *row_of(Bench *b, int state) { return b->table + (size_t)state * (size_t)b->letters; }
static const int32_t *was(const Bench *b, int state) {
    return b->original + (size_t)state * (size_t)b->letters;
}

static void fill(int32_t *row, int letters, int target) {
    for (int a = 0; a < letters; a++) row[a] = target;
}

/* Take the first `states` states of what lies on the bench. */
static void take(Bench *b, int states) {
    int count = minimal_form(&b->workshop, states, b->letters, b->table, 0, b->marks, b->most, b->rows,
                             b->members);
    if (!count) return;
    for (int i = 0; i < count; i++) b->kept[i] = b->marks[b->members[i]];
    add_found(b->found, count, b->rows, b->kept);
}

EXPORT Found *demospec_edits(int states, int letters, const int32_t *table, const uint8_t *marks, int most) {
    Bench b;
    if (!open_bench(&b, states, letters, table, marks, most)) {
        close_bench(&b);
        demospec_found_close(b.found);
        return NULL;
    }
    for (int q = 0; q < states; q++) {
        b.marks[q] = !b.marks[q];
        take(&b, states);
        b.marks[q] = !b.marks[q];
    }
    for (int q = 0; q < states; q++)
        for (int a = 0; a < letters; a++) {
            for (int target = 0; target < states; target++)
                if (target != was(&b, q)[a]) {
                    row_of(&b, q)[a] = target;
                    take(&b, states);
                }
            row_of(&b, q)[a] = was(&b, q)[a];
        }
    for (int gone = 1; gone < states; gone++)
        for (int other = 0; other < states; other++) {
            if (gone == other) continue;
            for (int q = 0; q < states; q++)
                for (int a = 0; a < letters; a++)
                    row_of(&b, q)[a] = was(&b, q)[a] == gone ? other : was(&b, q)[a];
            take(&b, states);
        }
    memcpy(b.table, table, sizeof *table * (size_t)states * (size_t)letters);
    int32_t *new = row_of(&b, states);
    for (int q = 0; q < states; q++)
        for (int a = 0; a < letters; a++) {
            row_of(&b, q)[a] = states;
            for (int mark = 0; mark < 2; mark++) {
                b.marks[states] = mark;
                fill(new, letters, states);
                take(&b, states + 1);
                for (int copied = 0; copied < states; copied++) {
                    int loops = 0;
                    memcpy(new, was(&b, copied), sizeof *new * (size_t)letters);
                    take(&b, states + 1);
                    for (int c = 0; c < letters; c++)
                        if (new[c] == copied) {
                            new[c] = states;
                            loops = 1;
                        }
                    if (loops) take(&b, states + 1);
                }
            }
            row_of(&b, q)[a] = was(&b, q)[a];
        }
    close_bench(&b);
    return b.found;
}

EXPORT Found *demospec_detours(int states, int letters, const int32_t *table, const uint8_t *marks, int most,
                               int64_t enough) {
    Bench b;
    if (!open_bench(&b, states, letters, table, marks, most)) {
        close_bench(&b);
        demospec_found_close(b.found);
        return NULL;
    }
    int32_t *new = row_of(&b, states), *base = malloc(sizeof *base * (size_t)letters);
    if (!base) b.found->failed = 1;
    for (int sink = 0; sink < 2; sink++) {
        b.marks[states + 1 + sink] = sink;
        fill(row_of(&b, states + 1 + sink), letters, states + 1 + sink);
    }
    fill(new, letters, states);
    for (int q = 0; q < states; q++) /* new states that wait */
        for (int a = 0; a < letters; a++) {
            row_of(&b, q)[a] = states;
            for (int mark = 0; mark < 2; mark++) {
                b.marks[states] = mark;
                for (int one = 0; one < letters; one++)
                    for (int other = one; other < letters; other++) {
                        if (b.found->failed || (int64_t)b.found->count > enough) goto done;
                        for (int first = 0; first < states; first++)
                            for (int second = 0; second < states; second++) {
                                if (one == other && first != second) continue;
                                new[other] = second;
                                new[one] = first;
                                take(&b, states + 3);
                            }
                        new[one] = new[other] = states;
                    }
            }
            row_of(&b, q)[a] = was(&b, q)[a];
        }
    for (int q = 0; q < states; q++) /* copies */
        for (int a = 0; a < letters; a++) {
            row_of(&b, q)[a] = states;
            for (int copied = 0; copied < states; copied++) {
                int loops = 0;
                for (int c = 0; c < letters; c++) loops |= was(&b, copied)[c] == copied;
                for (int mark = 0; mark < 2; mark++) {
                    b.marks[states] = mark;
                    for (int stays = 0; stays <= loops; stays++) {
                        if (b.found->failed || (int64_t)b.found->count > enough) goto done;
                        for (int c = 0; c < letters; c++)
                            base[c] = stays && was(&b, copied)[c] == copied ? states : was(&b, copied)[c];
                        memcpy(new, base, sizeof *new * (size_t)letters);
                        for (int c = 0; c < letters; c++) {
                            for (int target = 0; target < states + 3; target++)
                                if (target != base[c]) {
                                    new[c] = target;
                                    take(&b, states + 3);
                                }
                            new[c] = base[c];
                        }
                    }
                }
            }
            row_of(&b, q)[a] = was(&b, q)[a];
        }
done:
    free(base);
    close_bench(&b);
    return b.found;
}

/* -- products ----------------------------------------------------------------------------------------- */

typedef struct {
    int32_t *number;          /* [state of one · states of the other + state of the other], or -1 */
    int32_t *one, *other;     /* the states of each pair that was reached */
    int32_t *table, *rows;    /* [pair][letter] */
    int32_t *marks, *members, *kept;
    Workshop workshop;
} Pairs;

static void close_pairs(Pairs *p) {
    free(p->number);
    free(p->table);
    free(p->rows);
    close_workshop(&p->workshop);
}

static int open_pairs(Pairs *p, int most, int letters) {
    size_t n = (size_t)most;
    memset(p, 0, sizeof *p);
    p->number = malloc(sizeof *p->number * 6 * n);
    p->table = malloc(sizeof *p->table * n * (size_t)letters);
    p->rows = malloc(sizeof *p->rows * n * (size_t)letters);
    if (!open_workshop(&p->workshop, most) || !p->number || !p->table || !p->rows) return 0;
    p->one = p->number + n;
    p->other = p->one + n;
    p->marks = p->other + n;
    p->members = p->marks + n;
    p->kept = p->members + n;
    return 1;
}

/* Products of pairs of automata that lie one behind the other: both, either, one without the other, of which
   `operators` has a bit each. `which`, if it is there, gets the number of each pair's product by the lowest
   of these operators, or -1 where it is too large. */
EXPORT Found *demospec_products(int tasks, int letters, const int32_t *states, const int32_t *cells,
                                const uint8_t *marks, int64_t pairs, const int32_t *pair, int most,
                                int operators, int32_t *which) {
    int largest = 1;
    size_t width = (size_t)letters;
    size_t *first = malloc(sizeof *first * ((size_t)tasks + 1));
    Found *found = open_found(letters);
    Pairs p;
    memset(&p, 0, sizeof p);
    if (!first || !found) goto no_memory;
    first[0] = 0;
    for (int i = 0; i < tasks; i++) {
        first[i + 1] = first[i] + (size_t)states[i];
        if (states[i] > largest) largest = states[i];
    }
    if (largest > 4096 || !open_pairs(&p, largest * largest, letters)) goto no_memory;
    for (int64_t k = 0; k < pairs; k++) {
        size_t x = first[pair[2 * k]], y = first[pair[2 * k + 1]];
        int nx = states[pair[2 * k]], ny = states[pair[2 * k + 1]], reached = 1;
        memset(p.number, -1, sizeof *p.number * (size_t)nx * (size_t)ny);
        p.number[0] = p.one[0] = p.other[0] = 0;
        for (int at = 0; at < reached; at++) {
            const int32_t *one = cells + (x + (size_t)p.one[at]) * width;
            const int32_t *other = cells + (y + (size_t)p.other[at]) * width;
            for (size_t a = 0; a < width; a++) {
                int32_t *number = p.number + (size_t)one[a] * (size_t)ny + (size_t)other[a];
                if (*number < 0) {
                    p.one[reached] = one[a];
                    p.other[reached] = other[a];
                    *number = reached++;
                }
                p.table[(size_t)at * width + a] = *number;
            }
        }
        if (which) which[k] = -1;
        for (int operator = 0; operator < 4; operator++) {
            if (!(operators >> operator & 1)) continue;
            for (int i = 0; i < reached; i++) {
                int u = marks[x + (size_t)p.one[i]], v = marks[y + (size_t)p.other[i]];
                int combined[4] = {u && v, u || v, u && !v, v && !u};
                p.marks[i] = combined[operator];
            }
            int count = minimal_form(&p.workshop, reached, letters, p.table, 0, p.marks, most, p.rows,
                                     p.members);
            if (!count) continue;
            for (int i = 0; i < count; i++) p.kept[i] = p.marks[p.members[i]];
            int32_t number = add_found(found, count, p.rows, p.kept);
            if (which && which[k] < 0) which[k] = number;
        }
    }
    close_pairs(&p);
    free(first);
    return found;
no_memory:
    close_pairs(&p);
    free(first);
    demospec_found_close(found);
    return NULL;
}
