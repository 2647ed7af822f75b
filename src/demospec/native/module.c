/* Build tools look for this name in everything they call an extension; nothing ever calls it. */

#include "native.h"

EXPORT void *PyInit__library(void) { return 0; }
