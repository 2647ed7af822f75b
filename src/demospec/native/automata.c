/* Automata that agree with labelled words: `identify/backtracking.py` in C.

   Both give the same automata in the same order, and the Python says why things are done; here are the
   names that differ. The words are a graph: nodes, parents before children, node 0 the empty word. A frame
   is a partial automaton: which transitions are decided, and which nodes lead to which state. */

#include "native.h"

#include <stdlib.h>
#include <string.h>

enum { COMPLETE, FOUND, PAUSED, NO_MEMORY, STOPPED };
enum { SAFETY = 1, CO_SAFETY = 2, MONOTONE = 4, IGNORES_REPEATS = 8, REACH_AVOID = 16 };
enum { FREE = -1, MOST_STATES = 64 };
enum { NEW, BRANCH, LEAF };

typedef struct {
    int reached, changes, undecided; /* undecided: transitions, those of states not reached as well */
    int stage, state, letter, turn, left;
    uint64_t targets, chosen;
    int8_t mark[MOST_STATES];
    uint64_t reachable[MOST_STATES]; /* by state: which states it leads to (monotone only) */
    uint64_t alongside[MOST_STATES]; /* by state: which states of the others it is reached with */
    /* int8_t table[states · letters], then uint64_t members[states · width] */
} Frame;

typedef struct {
    const volatile int *stop; /* set by another thread, and never cleared: work is to end */
    int letters, nodes, width, classes, others;
    int32_t *edges;       /* [node]: the first of its edges, by letter; after the last node, their number */
    int32_t *edge_letter; /* [edge] */
    int32_t *edge_child;  /* [edge]: the node it leads to */
    int32_t *child;       /* [node][letter]: the same, or -1 */
    int8_t *label;        /* [node]: 0, 1, or FREE */
    int32_t *same_effect; /* [letter]: the first letter that has the same effect */
    uint64_t *apart;      /* [node][width]: the nodes that cannot lead to the same state */
    uint8_t *other_next;  /* [other][letter] */
    uint64_t other_start, must_reject, must_accept; /* sets of others */
    uint8_t exhausted[MOST_STATES + 1];             /* by number of states: nothing is left in any cell */
    int states, minority, changes;                  /* the cell */
    int bounded; /* something was left out only because of the cell's counts */
    int depth, capacity;
    size_t frame_bytes;
    char *frames;
    int32_t *stack; /* pairs (node, state) */
    uint64_t *against, *pending;
    int32_t *head, *next; /* of a state: by letter the first edge of its nodes, and by edge the next one */
} Search;

static Frame *frame_at(const Search *s, int depth) {
    return (Frame *)(s->frames + (size_t)depth * s->frame_bytes);
}
static int8_t *table_of(Frame *f) { return (int8_t *)(f + 1); }
static uint64_t *members_of(const Search *s, Frame *f) {
    size_t cells = (size_t)s->states * s->letters;
    return (uint64_t *)((char *)(f + 1) + ((cells + 7) & ~(size_t)7));
}
static uint64_t bit(int at) { return (uint64_t)1 << at; }

static int marked(Frame *f, int state, int label) {
    if (f->mark[state] == FREE) f->mark[state] = (int8_t)label;
    return f->mark[state] == label;
}

static int place(Search *s, Frame *f, int node, int state) {
    const int8_t *table = table_of(f);
    uint64_t *members = members_of(s, f);
    size_t top = 0;
    s->stack[top++] = node;
    s->stack[top++] = state;
    while (top) {
        state = s->stack[--top];
        node = s->stack[--top];
        const uint64_t *apart = s->apart + (size_t)node * s->width;
        uint64_t *own = members + (size_t)state * s->width;
        if (own[node >> 6] & bit(node & 63)) continue;
        for (int w = 0; w < s->width; w++)
            if (apart[w] & own[w]) return 0;
        if (s->label[node] != FREE && !marked(f, state, s->label[node])) return 0;
        own[node >> 6] |= bit(node & 63);
        for (int e = s->edges[node]; e < s->edges[node + 1]; e++) {
            int target = table[state * s->letters + s->edge_letter[e]];
            if (target >= 0) {
                s->stack[top++] = s->edge_child[e];
                s->stack[top++] = target;
            }
        }
    }
    return 1;
}

static int run_alongside(const Search *s, Frame *f) {
    if (!s->others) return 1;
    const int8_t *table = table_of(f);
    for (int changed = 1; changed;) {
        changed = 0;
        for (int i = 0; i < f->reached; i++)
            for (int a = 0; a < s->letters; a++) {
                int j = table[i * s->letters + a];
                if (j < 0) continue;
                uint64_t next = 0;
                for (uint64_t left = f->alongside[i]; left; left &= left - 1)
                    next |= bit(s->other_next[lowest_bit(left) * s->letters + a]);
                if (next & ~f->alongside[j]) {
                    f->alongside[j] |= next;
                    changed = 1;
                }
            }
    }
    for (int i = 0; i < f->reached; i++) {
        if ((f->alongside[i] & s->must_reject) && !marked(f, i, 0)) return 0;
        if ((f->alongside[i] & s->must_accept) && !marked(f, i, 1)) return 0;
    }
    return 1;
}

static int decide(Search *s, Frame *f, int state, int letter, int target) {
    int8_t *table = table_of(f);
    table[state * s->letters + letter] = (int8_t)target;
    f->undecided--;
    if (target == f->reached) f->reached++;
    if (target != state) {
        f->changes++;
        if ((s->classes & SAFETY) && !marked(f, state, 1)) return 0;
        if ((s->classes & CO_SAFETY) && !marked(f, state, 0)) return 0;
        if (s->classes & MONOTONE) {
            if (f->reachable[target] & bit(state)) return 0;
            uint64_t more = f->reachable[target] | bit(target);
            for (int i = 0; i < f->reached; i++)
                if (i == state || (f->reachable[i] & bit(state))) f->reachable[i] |= more;
        }
    }
    const uint64_t *members = members_of(s, f) + (size_t)state * s->width;
    for (int w = 0; w < s->width; w++)
        for (uint64_t left = members[w]; left; left &= left - 1) {
            int below = s->child[(size_t)(w * 64 + lowest_bit(left)) * s->letters + letter];
            if (below >= 0 && !place(s, f, below, target)) return 0;
        }
    if ((s->classes & IGNORES_REPEATS) && target != state) {
        int again = table[target * s->letters + letter];
        if (again != target && (again >= 0 || !decide(s, f, target, letter, target))) return 0;
    }
    for (int a = 0; a < s->letters; a++)
        if (a != letter && s->same_effect[a] == s->same_effect[letter]) {
            int there = table[state * s->letters + a];
            if (there != target && (there >= 0 || !decide(s, f, state, a, target))) return 0;
        }
    return 1;
}

static int is_minimal(const Search *s, const int8_t *table, const int8_t *mark) {
    int n = s->states, k = s->letters, ones = 0;
    int8_t class[MOST_STATES], next[MOST_STATES];
    for (int i = 0; i < n; i++) {
        class[i] = mark[i];
        ones += mark[i];
    }
    int count = (ones > 0) + (ones < n);
    while (count < n) {
        int fresh = 0;
        for (int i = 0; i < n; i++) {
            int same = -1;
            for (int j = 0; j < i && same < 0; j++) {
                if (class[i] != class[j]) continue;
                int a = 0;
                while (a < k && class[table[i * k + a]] == class[table[j * k + a]]) a++;
                if (a == k) same = j;
            }
            next[i] = (int8_t)(same < 0 ? fresh++ : next[same]);
        }
        if (fresh == count) return 0;
        count = fresh;
        memcpy(class, next, (size_t)n);
    }
    return 1;
}

static int is_reach_avoid(const Search *s, const int8_t *table, const int8_t *mark) {
    int k = s->letters, sink[MOST_STATES];
    for (int i = 0; i < s->states; i++) {
        sink[i] = 1;
        for (int a = 0; a < k; a++) sink[i] &= table[i * k + a] == i;
    }
    int state = 0;
    while (!sink[state]) {
        int following = -1;
        if (mark[state]) return 0;
        for (int a = 0; a < k; a++) {
            int target = table[state * k + a];
            if (target == state || target == following || (sink[target] && !mark[target])) continue;
            if (following >= 0) return 0;
            following = target;
        }
        if (following < 0) return 0;
        state = following;
    }
    return mark[state];
}

static void write_breadth_first(const Search *s, const int8_t *table, const int8_t *mark, int8_t *out) {
    int n = s->states, k = s->letters, count = 1;
    int8_t number[MOST_STATES], order[MOST_STATES];
    memset(number, -1, sizeof number);
    number[0] = order[0] = 0;
    for (int at = 0; at < count; at++)
        for (int a = 0; a < k; a++) {
            int target = table[order[at] * k + a];
            if (number[target] < 0) {
                number[target] = (int8_t)count;
                order[count++] = (int8_t)target;
            }
            out[at * k + a] = number[target];
        }
    for (int at = 0; at < n; at++) out[n * k + at] = mark[order[at]];
}

/* The next way to mark the states that are free; 0 when there is none. */
static int next_marks(Search *s, Frame *f, int8_t *mark) {
    int n = s->states, free_states[MOST_STATES], count = 0, fixed = 0;
    for (int i = 0; i < n; i++) {
        mark[i] = f->mark[i];
        if (mark[i] == FREE)
            free_states[count++] = i;
        else
            fixed += mark[i];
    }
    while (!*s->stop && (count == 64 ? f->chosen != ~(uint64_t)0 : f->chosen < bit(count))) {
        uint64_t chosen = f->chosen++;
        int total = fixed;
        for (int b = 0; b < count; b++) {
            mark[free_states[b]] = (int8_t)(chosen >> b & 1);
            total += (int)(chosen >> b & 1);
        }
        if (total == s->minority || n - total == s->minority) return 1;
        s->bounded = 1;
    }
    return 0;
}

static int marks_possible(const Search *s, const Frame *f) {
    int yes = 0, no = 0, n = s->states, c = s->minority;
    for (int i = 0; i < f->reached; i++) {
        yes += f->mark[i] == 1;
        no += f->mark[i] == 0;
    }
    return (yes <= c && no <= n - c) || (yes <= n - c && no <= c);
}

/* List the edges of the nodes that lead to a state, by letter, where the transition is undecided. */
static void list_edges(Search *s, Frame *f, int state) {
    const int8_t *row = table_of(f) + (size_t)state * s->letters;
    const uint64_t *own = members_of(s, f) + (size_t)state * s->width;
    memset(s->head, -1, sizeof *s->head * (size_t)s->letters);
    for (int w = 0; w < s->width; w++)
        for (uint64_t left = own[w]; left; left &= left - 1) {
            int node = w * 64 + lowest_bit(left);
            for (int e = s->edges[node]; e < s->edges[node + 1]; e++) {
                int letter = s->edge_letter[e];
                if (row[letter] >= 0) continue;
                s->next[e] = s->head[letter];
                s->head[letter] = e;
            }
        }
}

/* The states that words allow a transition to lead to; 0 where no word uses it, FREE where none is left.
   The edges of its state have been listed. */
static int allowed(Search *s, Frame *f, int letter, uint64_t *targets) {
    uint64_t *members = members_of(s, f);
    int labels = 0;
    if (s->head[letter] < 0) return 0;
    memset(s->against, 0, sizeof(uint64_t) * (size_t)s->width);
    memset(s->pending, 0, sizeof(uint64_t) * (size_t)s->width);
    for (int e = s->head[letter]; e >= 0; e = s->next[e]) {
        int below = s->edge_child[e];
        if (s->pending[below >> 6] & bit(below & 63)) continue;
        const uint64_t *apart = s->apart + (size_t)below * s->width;
        for (int x = 0; x < s->width; x++) s->against[x] |= apart[x];
        s->pending[below >> 6] |= bit(below & 63);
        if (s->label[below] != FREE) labels |= 1 << s->label[below];
    }
    for (int x = 0; x < s->width; x++)
        if (s->against[x] & s->pending[x]) return FREE;
    *targets = 0;
    for (int j = 0; j < f->reached; j++) {
        if (f->mark[j] != FREE && (labels & 1 << !f->mark[j])) continue;
        const uint64_t *theirs = members + (size_t)j * s->width;
        int x = 0;
        while (x < s->width && !(s->against[x] & theirs[x])) x++;
        if (x == s->width) *targets |= bit(j);
    }
    return 1;
}

/* The targets that the classes leave to a state's transitions, a new state among them. */
static uint64_t in_class(const Search *s, const Frame *f, int state) {
    int known = f->reached < s->states ? f->reached + 1 : f->reached;
    uint64_t targets = known < MOST_STATES ? bit(known) - 1 : ~(uint64_t)0;
    if (((s->classes & SAFETY) && f->mark[state] == 0) || ((s->classes & CO_SAFETY) && f->mark[state] == 1))
        return bit(state);
    if (s->classes & MONOTONE)
        for (int j = 0; j < f->reached; j++)
            if (f->reachable[j] & bit(state)) targets &= ~bit(j);
    return targets;
}

/* Choose the next transition to decide, or see that there is nothing to find here. */
static int analyse(Search *s, Frame *f) {
    int n = s->states, k = s->letters, left = s->changes - f->changes, must = 0, fewest = MOST_STATES + 2;
    int first_state = -1, first_letter = 0;
    const int8_t *table = table_of(f);
    if (!run_alongside(s, f)) return COMPLETE;
    if (!marks_possible(s, f)) {
        s->bounded = 1;
        return COMPLETE;
    }
    for (int i = 0; i < f->reached; i++) {
        int listed = 0;
        for (int a = 0; a < k; a++) {
            uint64_t targets;
            if (table[i * k + a] >= 0) continue;
            if (*s->stop) return COMPLETE;
            if (!listed) list_edges(s, f, i);
            listed = 1;
            int used = allowed(s, f, a, &targets);
            if (used == FREE) return COMPLETE;
            if (!used) {
                if (first_state < 0) {
                    first_state = i;
                    first_letter = a;
                }
                continue;
            }
            if (f->reached < n) targets |= bit(f->reached);
            targets &= in_class(s, f, i);
            must += !(targets & bit(i));
            int count = count_bits(targets);
            if (!count) return COMPLETE;
            if (count < fewest) {
                fewest = count;
                f->state = i;
                f->letter = a;
                f->targets = targets;
            }
        }
    }
    int unreached = n - f->reached;
    if (left < (must > unreached ? must : unreached) || left > f->undecided) {
        s->bounded = 1;
        return COMPLETE;
    }
    f->left = left;
    f->turn = -1;
    f->stage = BRANCH;
    if (fewest > MOST_STATES + 1) { /* no word uses what is undecided */
        f->state = first_state;
        f->letter = first_letter;
        f->targets = first_state < 0 ? 0 : in_class(s, f, first_state);
        if (first_state < 0 || left == 0) {
            if (left || first_state >= 0) s->bounded = 1;
            if (left) return COMPLETE;
            int8_t *own = table_of(f);
            for (int i = 0; i < n * k; i++)
                if (own[i] < 0) own[i] = (int8_t)(i / k);
            if (!run_alongside(s, f)) return COMPLETE;
            f->stage = LEAF;
            f->chosen = 0;
        }
    }
    return FOUND;
}

/* Decide the chosen transition in the next way, in the frame below; 0 when there is none. */
static int branch(Search *s, Frame *f, Frame *below) {
    for (; f->turn <= f->reached && f->turn < s->states; f->turn++) {
        int target = f->turn < 0 ? f->state : f->turn; /* staying costs nothing, and comes first */
        if (f->turn == f->state || !(f->targets & bit(target))) continue;
        if (f->left == 0 && target != f->state) {
            s->bounded = 1;
            return 0;
        }
        memcpy(below, f, s->frame_bytes);
        below->stage = NEW;
        if (decide(s, below, f->state, f->letter, target)) {
            f->turn++;
            return 1;
        }
    }
    return 0;
}

static void tell_apart(Search *s) {
    for (int u = s->nodes - 1; u >= 0 && !*s->stop; u--)
        for (int v = s->nodes - 1; v > u; v--) {
            int apart = s->label[u] != FREE && s->label[v] != FREE && s->label[u] != s->label[v];
            for (int e = s->edges[u]; e < s->edges[u + 1] && !apart; e++) {
                int x = s->edge_child[e], y = s->child[(size_t)v * s->letters + s->edge_letter[e]];
                apart = y >= 0 && (s->apart[(size_t)x * s->width + (y >> 6)] & bit(y & 63)) != 0;
            }
            if (apart) {
                s->apart[(size_t)u * s->width + (v >> 6)] |= bit(v & 63);
                s->apart[(size_t)v * s->width + (u >> 6)] |= bit(u & 63);
            }
        }
}

static int begin_cell(Search *s, const int32_t *cell) {
    s->states = cell[0];
    s->minority = cell[1];
    s->changes = cell[2];
    s->bounded = 0;
    if (s->states > s->capacity) {
        int n = s->states + 3;
        if (n > MOST_STATES) n = MOST_STATES;
        free(s->frames);
        free(s->stack);
        s->frame_bytes = sizeof(Frame) + (((size_t)n * s->letters + 7) & ~(size_t)7)
                       + sizeof(uint64_t) * (size_t)n * s->width;
        s->frames = malloc(s->frame_bytes * ((size_t)n * s->letters + 2));
        /* the edges of a node are followed once for each state */
        s->stack = malloc(sizeof(int32_t) * 2 * ((size_t)s->edges[s->nodes] * n + 1));
        s->capacity = n;
        if (!s->frames || !s->stack) return NO_MEMORY;
    }
    Frame *f = frame_at(s, 0);
    memset(f, 0, s->frame_bytes);
    memset(f->mark, FREE, sizeof f->mark);
    memset(table_of(f), FREE, (size_t)s->states * s->letters);
    f->reached = 1;
    f->undecided = s->states * s->letters;
    f->alongside[0] = s->other_start;
    f->stage = NEW;
    s->depth = place(s, f, 0, 0) ? 0 : -1;
    return FOUND;
}

EXPORT void demospec_automata_close(Search *s) {
    if (!s) return;
    free(s->edges);
    free(s->edge_letter);
    free(s->edge_child);
    free(s->child);
    free(s->head);
    free(s->next);
    free(s->label);
    free(s->same_effect);
    free(s->apart);
    free(s->other_next);
    free(s->frames);
    free(s->stack);
    free(s->against);
    free(s->pending);
    free(s);
}

static void *copy(const void *from, size_t bytes) {
    void *to = malloc(bytes ? bytes : 1);
    if (to && bytes) memcpy(to, from, bytes);
    return to;
}

/* `stop` is read as long as the search is open: when it is no longer 0, the search ends soon. */
EXPORT Search *demospec_automata_open(int letters, int nodes, const int32_t *edges,
                                      const int32_t *edge_letter, const int32_t *edge_child,
                                      const int8_t *label, int classes, const int32_t *same_effect, int others,
                                      const uint8_t *other_next, uint64_t other_start,
                                      uint64_t must_reject, uint64_t must_accept,
                                      const volatile int *stop) {
    Search *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->stop = stop;
    s->letters = letters;
    s->nodes = nodes;
    s->width = (nodes + 63) / 64;
    s->classes = classes;
    s->others = others;
    s->other_start = other_start;
    s->must_reject = must_reject;
    s->must_accept = must_accept;
    s->depth = -1;
    s->edges = copy(edges, sizeof *edges * (size_t)(nodes + 1));
    s->edge_letter = copy(edge_letter, sizeof *edge_letter * (size_t)edges[nodes]);
    s->edge_child = copy(edge_child, sizeof *edge_child * (size_t)edges[nodes]);
    s->child = malloc(sizeof *s->child * (size_t)nodes * letters);
    s->head = malloc(sizeof *s->head * (size_t)letters);
    s->next = malloc(sizeof *s->next * ((size_t)edges[nodes] + 1));
    s->label = copy(label, (size_t)nodes);
    s->same_effect = copy(same_effect, sizeof *same_effect * (size_t)letters);
    s->other_next = copy(other_next, (size_t)others * letters);
    s->apart = calloc((size_t)nodes * s->width, sizeof(uint64_t));
    s->against = malloc(sizeof(uint64_t) * (size_t)s->width);
    s->pending = malloc(sizeof(uint64_t) * (size_t)s->width);
    if (!s->edges || !s->edge_letter || !s->edge_child || !s->child || !s->head || !s->next || !s->label
        || !s->same_effect || !s->other_next || !s->apart || !s->against || !s->pending) {
        demospec_automata_close(s);
        return NULL;
    }
    memset(s->child, -1, sizeof *s->child * (size_t)nodes * letters);
    for (int node = 0; node < nodes; node++)
        for (int e = edges[node]; e < edges[node + 1]; e++)
            s->child[(size_t)node * letters + edge_letter[e]] = edge_child[e];
    tell_apart(s);
    return s;
}

/* Go on through cells (states, minority, changes), from `*position`, where a cell may have been begun.

   Writes up to `limit` automata to `out`, table and marks of each behind the other, and the position of
   their cells to `cell_of`. Returns COMPLETE after the last cell, FOUND when the limit is reached, PAUSED
   after `budget` frames, and STOPPED when work is to end: nothing can be asked any more. */
EXPORT int demospec_automata_next(Search *s, int cells, const int32_t *cell, int32_t *position, int *begun,
                                  int limit, int64_t budget, int8_t *out, int32_t *cell_of, int *found) {
    *found = 0;
    for (; *position < cells; ++*position, *begun = 0) {
        const int32_t *own = cell + 3 * (size_t)*position;
        if (!*begun) {
            if (s->exhausted[own[0]]) continue;
            if (begin_cell(s, own) == NO_MEMORY) return NO_MEMORY;
            *begun = 1;
        }
        while (s->depth >= 0) {
            Frame *f = frame_at(s, s->depth);
            if (*s->stop) return STOPPED;
            if (budget-- <= 0) return PAUSED;
            if (f->stage == NEW && analyse(s, f) == COMPLETE) {
                s->depth--;
            } else if (f->stage == BRANCH) {
                s->depth += branch(s, f, frame_at(s, s->depth + 1)) ? 1 : -1;
            } else if (f->stage == LEAF) {
                int8_t mark[MOST_STATES];
                if (!next_marks(s, f, mark)) {
                    s->depth--;
                } else if (is_minimal(s, table_of(f), mark)
                           && (!(s->classes & REACH_AVOID) || is_reach_avoid(s, table_of(f), mark))) {
                    write_breadth_first(s, table_of(f), mark, out);
                    out += s->states * (s->letters + 1);
                    cell_of[(*found)++] = *position;
                    if (*found == limit) return FOUND;
                }
            }
        }
        if (!s->bounded) s->exhausted[s->states] = 1;
    }
    return *s->stop ? STOPPED : COMPLETE;
}
