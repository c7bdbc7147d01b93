/* Steps allocate no memory by the allocator of the library, and with `reduced` none at all (malloc
 * itself is counted, unless a sanitizer replaces it). Every failed allocation before the first step
 * is reported. */
#include "scene.h"

#include "base/memory.h"

static long mallocs = 0;

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
#define COUNTED 1
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void *realloc(void *old, size_t size);
void *aligned_alloc(size_t alignment, size_t size);
int posix_memalign(void **block, size_t alignment, size_t size);

void *malloc(size_t size)
{
    mallocs++;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    mallocs++;
    return __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    mallocs++;
    return __libc_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    mallocs++;
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size)
{
    mallocs++;
    *block = __libc_memalign(alignment, size);
    return *block ? 0 : 12; /* ENOMEM */
}
#endif

static const char *const models[] = {
    "heavy-top",
    "double-spherical-pendulum",
    "spring-chain",
    "planar-pendulum",
    "sliding-top",
    /* closures, dampers, loads with an expression and a table, an energy from a C function */
    "gravity: [0, 0, -9.81]\n"
    "bodies: {name: b, mass: 2, inertia: [1, 1, 1], points: {l: [-1, 0, 0], r: [1, 0, 0]}}\n"
    "points: {name: a, mass: 1, position: [1, 0, -2]}\n"
    "rods: [{between: [[-1, 0, 2], b.l]}, {between: [[1, 0, 2], b.r]}, {between: [a, b.r]}]\n"
    "springs: [{between: [a, ground], energy: 3*(l-1)^4}, {between: [a, b], stiffness: 5, damping: "
    "1}]\n"
    "loads: [{on: b, moment: [0, 1, 0], frame: body, time: sin(t)}, {on: a, force: [1, 0, 0], "
    "time: "
    "{time: [0, 1], value: [0, 1]}}]\n"
    "run: {step: 0.01}\n",
};
enum { MODELS = sizeof models / sizeof *models };

TEST(a_thousand_steps_take_no_memory_from_the_library)
{
    static const char *const treatments[] = {"reduced", "multipliers", "minimal"};
    for (int m = 0; m < MODELS; m++)
        for (int k = 0; k < 2; k++) {
            scene s = scene_open(models[m], treatments[k]);
            olo_ledger ledger;
            double h = s.run.step;
            scene_run(&s, h, 1);
            size_t before = olo_memory_count();
            for (int i = 0; i < 1000; i++) {
                scene_run(&s, h, 1);
                olo_system_ledger(s.system, s.state, &ledger);
            }
            check_equal(before, olo_memory_count());
            scene_close(&s);
        }
}

TEST(a_thousand_reduced_steps_call_malloc_never)
{
#ifdef COUNTED
    for (int m = 0; m < MODELS; m++) {
        scene s = scene_open(models[m], "reduced");
        double h = s.run.step;
        long before = mallocs;
        check_true(before > 0); /* the counter counts */
        for (int i = 0; i < 1000; i++)
            if (olo_stepper_step(s.stepper, s.state, h, NULL) != OLO_OK)
                check_true(false);
        check_equal(before, mallocs);
        scene_close(&s);
    }
#else
    skip();
#endif
}

TEST(halved_and_failed_steps_take_no_memory)
{
    /* a step so large that it is halved, then one that fails; without an olo_error */
    olo_setting few = {.name = "run.iterations", .value = "3"};
    scene s = scene_open_set("double-spherical-pendulum", "reduced", &few, 1);
    size_t before = olo_memory_count();
    long raw = mallocs;
    int halved = 0, failed = 0;
    for (int i = 0; i < 20; i++) {
        if (olo_stepper_step(s.stepper, s.state, 0.3, NULL) != OLO_OK)
            failed++;
        halved += olo_stepper_report(s.stepper)->halvings;
    }
    long raw_after = mallocs;
    check_true(halved > 0);
    check_equal(0, failed);
    check_equal(before, olo_memory_count());
    check_equal(raw, raw_after);
    scene_close(&s);
}

/* Reads and compiles a model and makes steps, while the n-th allocation fails. OK if none
 * failed. */
static olo_status go(const char *text, const char *constraints, size_t n, olo_error *error)
{
    olo_model *model = NULL;
    olo_system *system = NULL;
    olo_state *x = NULL;
    olo_stepper *stepper = NULL;
    olo_memory_fail_at(n);
    olo_status status = olo_model_read_text(text, strlen(text), "test", NULL, 0, &model, error);
    if (status == OLO_OK)
        status = olo_model_compile(model, &system, error);
    if (status == OLO_OK)
        status = olo_system_create_initial_state(system, &x, NULL, error);
    if (status == OLO_OK) {
        olo_run run = *olo_model_run(model);
        run.constraints = constraints;
        status = olo_stepper_create(system, &run, &stepper, error);
    }
    if (status == OLO_OK)
        status = olo_stepper_step(stepper, x, 0.01, error);
    olo_memory_fail_at(0);
    olo_stepper_free(stepper);
    olo_state_free(x);
    olo_system_free(system);
    olo_model_free(model);
    return status;
}

TEST(every_failed_allocation_is_reported_and_nothing_leaks)
{
    static const char *const treatments[] = {"reduced", "multipliers"};
    for (int k = 0; k < 2; k++) {
        size_t alive = olo_memory_alive(), n = 1;
        olo_status status = OLO_NO_MEMORY;
        for (; n < 100000 && status != OLO_OK; n++) {
            olo_error error = {0};
            status = go(models[MODELS - 1], treatments[k], n, &error);
            if (status != OLO_OK)
                check_status(OLO_NO_MEMORY, status);
            check_equal(alive, olo_memory_alive());
        }
        check_status(OLO_OK, status);
        check_true(n > 50); /* the run makes many allocations */
    }
}

TEST_MAIN(cmocka_unit_test(a_thousand_steps_take_no_memory_from_the_library),
          cmocka_unit_test(a_thousand_reduced_steps_call_malloc_never),
          cmocka_unit_test(halved_and_failed_steps_take_no_memory),
          cmocka_unit_test(every_failed_allocation_is_reported_and_nothing_leaks))
