/* Small deterministic machines: their canonical form, and collections that hold each of them once. */

#ifndef DEMOSPEC_MACHINES_H
#define DEMOSPEC_MACHINES_H

#include "native.h"

#include <stddef.h>
#include <stdint.h>

/* Room to work in for machines of up to `states` states. */
typedef struct {
    int states;
    int32_t *order, *place, *class, *next, *slots;
    uint64_t *signature;
} Workshop;

int open_workshop(Workshop *w, int states); /* 0 without memory; closing is needed in any case */
void close_workshop(Workshop *w);

/* Refine the classes in `w->class`, `count` of them, until states of one class behave alike; return how many
   there are, numbered by the first state of each, or 0 where there are more than `most`. */
int refine(Workshop *w, int states, int letters, const int32_t *rows, int count, int most);

/* Write the minimal machine, breadth-first numbered, and a state of each of its classes; return how many
   there are, or 0 where there are more than `most`. `rows` has room for states · letters numbers. */
int minimal_form(Workshop *w, int states, int letters, const int32_t *table, int start,
                 const int32_t *output, int most, int32_t *rows, int32_t *members);

/* Machines over one alphabet in the order in which they were found, each once. */
typedef struct {
    int letters, failed; /* failed: memory was not enough */
    size_t count, room;
    size_t *first_cell, *first_state; /* [count + 1] */
    int32_t *cells;
    uint8_t *marks;
    size_t cells_room, marks_room;
    size_t *slots, slot_count; /* number + 1 of a machine, by hash */
} Found;

Found *open_found(int letters);
int32_t add_found(Found *f, int states, const int32_t *cells, const int32_t *marks); /* its number, or -1 */
EXPORT void demospec_found_close(Found *f);

#endif
