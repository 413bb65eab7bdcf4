/* Cilk's keywords, for a source that is preprocessed before `workspan cilk2c` gets it. */
#ifndef WORKSPAN_CILK_KEYWORDS_H
#define WORKSPAN_CILK_KEYWORDS_H

#include <workspan/cilk.h>

#define cilk_spawn _Cilk_spawn
#define cilk_sync _Cilk_sync
#define cilk_for _Cilk_for
#define cilk_scope _Cilk_scope
#define cilk_reducer _Hyperobject

#endif
