/* Memory of one worker: taken once, laid out at the start of each search, kept for the next one. */

#ifndef JUMOK_WORKSPACE_H
#define JUMOK_WORKSPACE_H

#include <stdlib.h>

typedef struct {
    char *memory;
    size_t size, used;
} Workspace;

/* Room for `count` things; with too little memory the place is only counted, and must not be used. */
static void *take(Workspace *space, size_t count, size_t each) {
    void *place = space->memory + space->used;
    space->used += (count * each + 63) / 64 * 64;
    return place;
}

#define TAKE(space, type, count) ((type *)take(space, (size_t)(count), sizeof(type)))

/* Makes the memory large enough for what was counted; 0 if there is none. */
static int enlarge(Workspace *space) {
    if (space->used <= space->size) return 1;
    free(space->memory);
    space->size = space->used + space->used / 4;
    space->memory = aligned_alloc(64, (space->size + 63) / 64 * 64);
    if (!space->memory) space->size = 0;
    return space->memory != NULL;
}

#endif
