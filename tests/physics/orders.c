/* Steps of higher order: orders 2, 4 and 6 of the variational scheme in q and p, orders 2 and 4 of energy-momentum in q and the
 * tangential momentum, on a pendulum, a top, a loop and a beam. Every composed step is symmetric, keeps what its parts keep, and
 * is split as a whole where it fails. */
#include "scene.h"

#include "stepping/start.h"

enum { COORDINATES = 160 };

/* Configuration, momentum and tangential momentum at the end of a run. */
typedef struct end_state {
    int n;
    double q[COORDINATES], p[COORDINATES], tangential[COORDINATES];
    double energy_drift;
    long halvings;
} end_state;

typedef struct method {
    const char *scheme, *order, *constraints;
} method;

static scene open_method(const char *model, const method *m)
{
    const olo_setting settings[] = {{"run.scheme", m->scheme}, {"run.order", m->order}};
    return scene_open_set(model, m->constraints, settings, 2);
}

static end_state run_to(const char *model, const method *m, double time, long steps)
{
    scene s = open_method(model, m);
    olo_error error = {0};
    end_state end = {.n = s.system->n};
    check_true(end.n <= COORDINATES);
    const double start = scene_ledger(&s).balance;
    for (long i = 1; i <= steps; i++) {
        scene_run(&s, time / (double)steps, 1);
        olo_state_set_time(s.state, (double)i * time / (double)steps);
        const olo_ledger ledger = scene_ledger(&s);
        end.energy_drift = fmax(end.energy_drift, fabs(ledger.balance - start) /
                                                      (fabs(start) + ledger.kinetic));
    }
    end.halvings = s.halvings;
    memcpy(end.q, olo_state_q(s.state), (size_t)end.n * sizeof *end.q);
    olo_system_mass_times(s.system, olo_state_v(s.state), end.p);
    check_ok(olo_state_make_tangent(s.system, s.state, &error), &error);
    olo_system_mass_times(s.system, olo_state_v(s.state), end.tangential);
    scene_close(&s);
    return end;
}

typedef struct errors {
    double q, p, tangential;
} errors;

static errors errors_of(const end_state *a, const end_state *b)
{
    return (errors){scene_distance(a->n, a->q, b->q), scene_distance(a->n, a->p, b->p),
                    scene_distance(a->n, a->tangential, b->tangential)};
}

/* Orders between two step sizes against a reference. */
static errors orders_of(const char *model, const method *m, double time, long steps,
                        const end_state *reference)
{
    const end_state coarse = run_to(model, m, time, steps), fine = run_to(model, m, time, 2 * steps);
    const errors a = errors_of(&coarse, reference), b = errors_of(&fine, reference);
    const errors order = {log2(a.q / b.q), log2(a.p / b.p), log2(a.tangential / b.tangential)};
    print_message("%s, %s %s, %ld steps: q %.1e order %.2f, p %.1e order %.2f, tangential %.1e "
                  "order %.2f\n",
                  model, m->scheme, m->order, 2 * steps, b.q, order.q, b.p, order.p, b.tangential,
                  order.tangential);
    check_equal(0, coarse.halvings + fine.halvings);
    if (strcmp(m->scheme, "energy-momentum") == 0)
        check_below(fmax(coarse.energy_drift, fine.energy_drift), 1e-12);
    return order;
}

/* All orders within 0.1. The steps of each order are such that errors are asymptotic and above round-off. */
static void check_orders(const char *model, double time, const long steps[3])
{
    const method best = {"variational", "6", "reduced"};
    const end_state reference = run_to(model, &best, time, 12 * steps[2]);
    static const char *const names[] = {"2", "4", "6"};
    for (int k = 0; k < 3; k++) {
        const method variational = {"variational", names[k], "reduced"};
        const errors order = orders_of(model, &variational, time, steps[k], &reference);
        check_close(2.0 * (k + 1), order.q, 0.1);
        check_close(2.0 * (k + 1), order.p, 0.1);
    }
    for (int k = 0; k < 2; k++) {
        const method energy = {"energy-momentum", names[k], "reduced"};
        const errors order = orders_of(model, &energy, time, steps[k], &reference);
        check_close(2.0 * (k + 1), order.q, 0.1);
        check_close(2.0 * (k + 1), order.tangential, 0.1);
    }
}

TEST(orders_2_4_6_of_the_double_spherical_pendulum)
{
    check_orders("double-spherical-pendulum", 1.0, (const long[]){80, 40, 40});
}

TEST(orders_2_4_6_of_the_heavy_top)
{
    check_orders("heavy-top", 0.05, (const long[]){200, 50, 50});
}

TEST(orders_2_4_6_of_the_six_body_linkage)
{
    check_orders("six-body-linkage", 0.1, (const long[]){40, 40, 40});
}

/* Four elements that fall and bend on a pivot. */
static const char BEAM[] =
    "gravity: [0, 0, -9.81]\n"
    "beams:\n"
    "  - {name: arm, to: [1, 0, 0], d1: [0, 1, 0], elements: 4,\n"
    "     section: {type: circle, radius: 0.02, young: 1e7, poisson: 0.3, density: 1000}}\n"
    "supports: [{name: pivot, on: arm.start, type: spherical}]\n"
    "run: {step: 0.01, end: 1}\n";

TEST(orders_2_4_6_of_a_beam)
{
    check_orders(BEAM, 0.2, (const long[]){100, 40, 40});
}

TEST_MAIN(cmocka_unit_test(orders_2_4_6_of_the_double_spherical_pendulum),
          cmocka_unit_test(orders_2_4_6_of_the_heavy_top),
          cmocka_unit_test(orders_2_4_6_of_the_six_body_linkage),
          cmocka_unit_test(orders_2_4_6_of_a_beam))
