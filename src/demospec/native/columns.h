/* The monitor states of many tasks as columns of one backup: `plan/columns.py` in C. */

#ifndef DEMOSPEC_COLUMNS_H
#define DEMOSPEC_COLUMNS_H

#include "machines.h"

enum { CHANNELS = 2, NONE = -1 }; /* channels: V, and the chance of what is told */

typedef struct { /* monitors one behind the other, their states in one numbering */
    int count, letters, states;
    const int32_t *states_of; /* [monitor] */
    const uint8_t *marks;     /* [state]: where the reward is */
    const uint8_t *told;      /* [state]: whose chance is told; the same marks, or others */
    double rationality;
    int32_t *rows;            /* [state][letter] */
    int classes;
    int32_t *class;           /* [state]: those that behave alike */
    int32_t *member;          /* [class]: one of its states */
    uint8_t *live;            /* [class]: whether the monitor can still change */
    Workshop workshop;
} Monitors;

typedef struct {
    int live, columns;    /* the column behind the live ones is an aimless agent's */
    int32_t *column;      /* [class]: its column in this pass, or NONE */
    int32_t *class;       /* [column] */
    int32_t *source;
    double *added, *final;
} Columns;

enum { NO_MEMORY, DONE, STOPPED }; /* what came of a call */

/* Put monitors into one numbering, and find the states that behave alike; 0 without memory, and closing is
   needed in any case. */
int open_monitors(Monitors *m, int count, int letters, const int32_t *states_of, const int32_t *cells,
                  const uint8_t *marks, const uint8_t *told, double rationality);
void close_monitors(Monitors *m);

/* Take monitors from the given one on, whose states begin with `first`, while their columns are not too many,
   and one in any case; return how many were taken. */
int take(const Monitors *m, int monitor, int first, int most, Columns *c);

/* The column of a state: the last one, of an aimless agent, where its monitor cannot change any more. */
int column_of(const Monitors *m, const Columns *c, int state);

/* Say what the columns read. */
void lay_out(const Monitors *m, Columns *c);

#endif
