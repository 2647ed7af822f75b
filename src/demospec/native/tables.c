/* The minimal machine, breadth-first numbered: `tasks/tables.py`, `canonical`, in C. */

#include "native.h"

#include <string.h>

enum { MOST = 64 };

/* `rows` gets the table of the minimal machine, `members` a state of each of its classes; returns how many
   there are. Compares pairs of states: made for small machines, of at most MOST states. */
EXPORT int demospec_canonical(int states, int letters, const int32_t *table, int start,
                              const int32_t *output, int32_t *rows, int32_t *members) {
    int32_t order[MOST], place[MOST], class[MOST], next[MOST], number[MOST];
    int reached = 1, count = 0;
    if (states > MOST) return -1;
    memset(place, -1, sizeof place);
    order[0] = start;
    place[start] = 0;
    for (int at = 0; at < reached; at++)
        for (int a = 0; a < letters; a++) {
            int target = table[order[at] * letters + a];
            if (place[target] < 0) {
                place[target] = reached;
                order[reached++] = target;
            }
        }
    for (int i = 0; i < reached; i++) { /* classes by output, named by the first that has it */
        int j = 0;
        while (j < i && output[order[i]] != output[order[j]]) j++;
        class[i] = j < i ? class[j] : count++;
    }
    for (int before = 0; before < count;) { /* Moore's refinement */
        int fresh = 0;
        before = count;
        for (int i = 0; i < reached; i++) {
            int j = 0;
            for (; j < i; j++) {
                if (class[i] != class[j]) continue;
                const int32_t *one = table + order[i] * letters, *other = table + order[j] * letters;
                int a = 0;
                while (a < letters && class[place[one[a]]] == class[place[other[a]]]) a++;
                if (a == letters) break;
            }
            next[i] = j < i ? next[j] : fresh++;
        }
        memcpy(class, next, sizeof *class * (size_t)reached);
        count = fresh;
    }
    /* The first state of each class, in breadth-first order of states: that is also the order of classes. */
    memset(number, -1, sizeof number);
    int found = 0;
    for (int i = 0; i < reached; i++)
        if (number[class[i]] < 0) {
            number[class[i]] = found;
            members[found++] = order[i];
        }
    for (int c = 0; c < found; c++)
        for (int a = 0; a < letters; a++)
            rows[c * letters + a] = number[class[place[table[members[c] * letters + a]]]];
    return found;
}
