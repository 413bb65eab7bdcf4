/* The calls that OpenCilk's compiler makes in a program built for Cilkscale, for sources that make them by hand: it puts
 * the same ones at the same places. Without a tool the symbols are not there, and nothing is called. */
#ifndef CSI_H
#define CSI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    const char *name;
    int32_t line, column;
    const char *file;
} source_loc_t;

typedef struct {
    int64_t count;
    int64_t *base;
    const source_loc_t *entries;
} unit_fed_table_t;

typedef struct {
    int32_t full_ir_size, ir_cost;
} sizeinfo_t;

typedef struct {
    int64_t count;
    const sizeinfo_t *entries;
} unit_sizeinfo_table_t;

#define CSI_WEAK __attribute__((weak))
CSI_WEAK void __csirt_unit_init(const char *name, unit_fed_table_t *tables, unit_sizeinfo_table_t *sizes,
                                void (*set_numbers)(void));
CSI_WEAK void __csi_func_entry(int64_t function, uint64_t property);
CSI_WEAK void __csi_func_exit(int64_t exit, int64_t function, uint64_t property);
CSI_WEAK void __csi_detach(int64_t detach, uint32_t region, uint64_t property);
CSI_WEAK void __csi_task(int64_t task, int64_t detach, uint64_t property);
CSI_WEAK void __csi_task_exit(int64_t exit, int64_t task, int64_t detach, uint32_t region, uint64_t property);
CSI_WEAK void __csi_detach_continue(int64_t continuation, int64_t detach, uint32_t region, uint64_t property);
CSI_WEAK void __csi_before_sync(int64_t sync, uint32_t region);
CSI_WEAK void __csi_after_sync(int64_t sync, uint32_t region);

#ifdef __cplusplus
}
#endif

enum { CSI_FUNCTIONS = 0, CSI_DETACHES = 8, CSI_TASKS = 9, CSI_TASK_EXITS = 10, CSI_CONTINUES = 11, CSI_SYNCS = 12 };

static int64_t csi_bases[16];

#define CSI(call)                                                                                                     \
    do {                                                                                                              \
        if (__csirt_unit_init)                                                                                        \
            call;                                                                                                     \
    } while (0)

/* A unit's start: its functions and its spawns. */
#define CSI_UNIT(functions, detaches)                                                                                 \
    static int csi_numbers_set;                                                                                       \
    static void csi_set_numbers(void) { csi_numbers_set = 1; }                                                        \
    __attribute__((constructor)) static void csi_unit(void) {                                                         \
        const int64_t spawns = (int64_t)(sizeof detaches / sizeof *detaches);                                         \
        static unit_fed_table_t tables[16];                                                                           \
        static unit_sizeinfo_table_t sizes[1];                                                                        \
        for (int i = 0; i < 16; ++i)                                                                                  \
            tables[i].base = &csi_bases[i];                                                                           \
        tables[CSI_FUNCTIONS].count = (int64_t)(sizeof functions / sizeof *functions);                                \
        tables[CSI_FUNCTIONS].entries = functions;                                                                    \
        tables[CSI_DETACHES].count = spawns;                                                                          \
        tables[CSI_DETACHES].entries = detaches;                                                                      \
        for (int i = CSI_TASKS; i <= CSI_CONTINUES; ++i) {                                                            \
            tables[i].count = spawns;                                                                                 \
            tables[i].entries = detaches;                                                                             \
        }                                                                                                             \
        CSI(__csirt_unit_init(__FILE__, tables, sizes, csi_set_numbers));                                             \
    }

#define MAY_SPAWN_AT_ENTRY(regions) (0x100u | (regions))

#define ENTER(function, regions)                                                                                      \
    CSI(__csi_func_entry(csi_bases[CSI_FUNCTIONS] + (function), MAY_SPAWN_AT_ENTRY(regions)))
#define EXIT(function) CSI(__csi_func_exit(0, csi_bases[CSI_FUNCTIONS] + (function), 1))
#define DETACH(spawn, region) CSI(__csi_detach(csi_bases[CSI_DETACHES] + (spawn), (region), 0))
#define TASK(spawn) CSI(__csi_task(csi_bases[CSI_TASKS] + (spawn), csi_bases[CSI_DETACHES] + (spawn), 0))
#define TASK_EXIT(spawn, region)                                                                                      \
    CSI(__csi_task_exit(csi_bases[CSI_TASK_EXITS] + (spawn), csi_bases[CSI_TASKS] + (spawn),                          \
                        csi_bases[CSI_DETACHES] + (spawn), (region), 0))
#define CONTINUE(spawn, region, is_unwinding)                                                                         \
    CSI(__csi_detach_continue(csi_bases[CSI_CONTINUES] + (spawn), csi_bases[CSI_DETACHES] + (spawn), (region),        \
                              (is_unwinding)))
#define SYNC(sync, region)                                                                                            \
    do {                                                                                                              \
        CSI(__csi_before_sync(csi_bases[CSI_SYNCS] + (sync), (region)));                                              \
        CSI(__csi_after_sync(csi_bases[CSI_SYNCS] + (sync), (region)));                                               \
    } while (0)

/* A spawn whose task is one statement. */
#define SPAWN(spawn, region, statement)                                                                               \
    do {                                                                                                              \
        DETACH(spawn, region);                                                                                        \
        TASK(spawn);                                                                                                  \
        statement;                                                                                                    \
        TASK_EXIT(spawn, region);                                                                                     \
        CONTINUE(spawn, region, 0);                                                                                   \
    } while (0)

#endif
