/* The bits do not depend on the number of threads: a system is constant and shared, a state and a
 * stepper belong to one thread. Every model of the catalogue is run alone, then by several threads
 * at once with one system; the hash of the states after every step is the same. */
#include <pthread.h>
#include <stdint.h>

#include "oloid/model.h"
#include "oloid/simulate.h"
#include "test.h"

enum { STEPS = SANITIZED ? 10 : 60, THREADS = 2 };

/* FNV-1a, 64 bits, over the bytes of numbers. */
static uint64_t hash_numbers(uint64_t hash, const double *x, int count)
{
    const unsigned char *byte = (const unsigned char *)x;
    for (size_t i = 0; i < (size_t)count * sizeof *x; i++)
        hash = (hash ^ byte[i]) * UINT64_C(1099511628211);
    return hash;
}

typedef struct job {
    const olo_system *system;
    const olo_run *run;
    olo_status status;
    olo_error error;
    uint64_t hash;
} job;

static olo_status add_to_hash(void *context, const olo_system *system, const olo_state *state,
                              long step, const olo_step_report *report, olo_error *error)
{
    job *x = context;
    const int n = olo_system_coordinate_count(system);
    (void)step;
    (void)report;
    (void)error;
    x->hash = hash_numbers(x->hash, olo_state_configuration(state), n);
    x->hash = hash_numbers(x->hash, olo_state_velocity(state), n);
    return OLO_OK;
}

static void *run_job(void *context)
{
    job *x = context;
    olo_state *state = NULL;
    olo_run run = *x->run;
    olo_observer observer = olo_observer_default();
    observer.context = x;
    observer.step = add_to_hash;
    run.end = STEPS * run.step;
    x->hash = UINT64_C(14695981039346656037);
    x->status = olo_system_create_initial_state(x->system, &state, NULL, &x->error);
    if (x->status == OLO_OK)
        x->status = olo_simulate(x->system, &run, state, &observer, 1, NULL, &x->error);
    olo_state_free(state);
    return NULL;
}

static void check_model(const char *name, const char *constraints)
{
    olo_model *model = NULL;
    olo_system *system = NULL;
    olo_error error = {0};
    check_ok(olo_model_read(name, NULL, 0, &model, &error), &error);
    check_ok(olo_model_compile(model, &system, &error), &error);
    olo_run run = *olo_model_run(model);
    run.constraints = constraints;

    job alone = {.system = system, .run = &run}, together[THREADS];
    pthread_t thread[THREADS];
    run_job(&alone);
    check_ok(alone.status, &alone.error);
    for (int i = 0; i < THREADS; i++) {
        together[i] = (job){.system = system, .run = &run};
        check_equal(0, pthread_create(&thread[i], NULL, run_job, &together[i]));
    }
    for (int i = 0; i < THREADS; i++) {
        check_equal(0, pthread_join(thread[i], NULL));
        check_ok(together[i].status, &together[i].error);
        check_true(together[i].hash == alone.hash);
    }
    olo_system_free(system);
    olo_model_free(model);
}

static void check_catalogue(const char *constraints)
{
    olo_catalogue *catalogue = NULL;
    olo_error error = {0};
    check_ok(olo_catalogue_open(&catalogue, &error), &error);
    check_true(olo_catalogue_count(catalogue) > 0);
    for (int i = 0; i < olo_catalogue_count(catalogue); i++)
        check_model(olo_catalogue_name(catalogue, i), constraints);
    olo_catalogue_free(catalogue);
}

TEST(threads_give_the_bits_of_one_reduced)
{
    check_catalogue("reduced");
}

TEST(threads_give_the_bits_of_one_multipliers)
{
    check_catalogue("multipliers");
}

TEST_MAIN(cmocka_unit_test(threads_give_the_bits_of_one_reduced),
          cmocka_unit_test(threads_give_the_bits_of_one_multipliers))
