/* Events: a release conserves energy and momentum and is followed by the parabola; closing is a
 * plastic impact; loads start at their time; location, order, ends, resumption, refusals. */
#include "scene.h"

#include "stepping/events.h"

static const double g = 9.81;

/* A pendulum of length 1 that starts horizontally; its rod opens at 0.4 rad behind the vertical,
 * where sin = x/l. */
static const char pendulum[] =
    "plane: xz\n"
    "gravity: [0, 0, -9.81]\n"
    "parameters: {x_release: sin(0.4)}\n"
    "points:\n"
    "  - {name: stone, mass: 2, position: [-1, 0, 0]}\n"
    "rods:\n"
    "  - {name: string, between: [[0, 0, 0], stone]}\n"
    "outputs:\n"
    "  - {name: stone, on: stone}\n"
    "events:\n"
    "  - {name: release, when: stone.position.x - x_release, crosses: rising, open: string}\n"
    "run: {step: 0.01, end: 2}\n";

typedef struct event_log {
    int count;
    char name[8][32];
    double t[8], q[8][3], v[8][3];
} event_log;

static void on_event(void *context, const char *name, const olo_state *state)
{
    event_log *x = context;
    snprintf(x->name[x->count], sizeof x->name[0], "%s", name);
    x->t[x->count] = olo_state_time(state);
    memcpy(x->q[x->count], olo_state_configuration(state), sizeof x->q[0]);
    memcpy(x->v[x->count], olo_state_velocity(state), sizeof x->v[0]);
    x->count++;
}

static olo_status run(scene *s, event_log *events, olo_error *error)
{
    olo_observer observer = olo_observer_default();
    observer.context = events;
    observer.event = on_event;
    return olo_simulate(s->system, &s->run, s->state, &observer, 1, NULL, error);
}

static const char *const treatments[] = {"reduced", "multipliers", "projected", "minimal"};
static const char *const schemes[] = {"energy-momentum-2006", "energy-momentum", "variational",
                                      "contact"};

TEST(after_a_release_the_stone_flies_on_a_parabola)
{
    for (int k = 0; k < 7; k++) {
        scene s = scene_open(pendulum, NULL);
        event_log events = {0};
        olo_error error = {0};
        s.run.constraints = k < 4 ? treatments[k] : "reduced";
        s.run.scheme = k < 4 ? schemes[0] : schemes[k - 3];
        check_ok(run(&s, &events, &error), &error);
        check_equal(1, events.count);
        /* located exactly; the speed is that of the fall, for the schemes that conserve energy */
        const double *q = events.q[0], *v = events.v[0];
        check_close(sin(0.4), q[0], 1e-12);
        check_close(-cos(0.4), q[2], 1e-12);
        if (k != 5)
            check_close(2 * g * cos(0.4), v[0] * v[0] + v[2] * v[2], 1e-11);
        /* all schemes are exact on a parabola */
        const double t = olo_state_time(s.state) - events.t[0];
        const double *q1 = olo_state_configuration(s.state), *v1 = olo_state_velocity(s.state);
        check_close(2.0, olo_state_time(s.state), 0);
        check_close(q[0] + v[0] * t, q1[0], 1e-12);
        check_close(q[2] + v[2] * t - 0.5 * g * t * t, q1[2], 1e-11);
        check_close(v[2] - g * t, v1[2], 1e-11);
        scene_close(&s);
    }
}

TEST(energy_is_constant_through_a_release)
{
    scene s = scene_open(pendulum, NULL);
    event_log events = {0};
    olo_error error = {0};
    olo_ledger ledger;
    check_ok(run(&s, &events, &error), &error);
    olo_system_ledger(s.system, s.state, &ledger);
    check_close(0.0, ledger.kinetic + ledger.potential, 1e-12 * 2 * g);
    scene_close(&s);
}

/* Two points; the first catches the second, a rod of the length between them closes. */
static const char coupling[] =
    "points:\n"
    "  - {name: a, mass: 3, position: [0, 0, 0], velocity: [2, 0.3, 0]}\n"
    "  - {name: b, mass: 1, position: [5, 0, 0], velocity: [-1, 0, 0.1]}\n"
    "rods:\n"
    "  - {name: bar, between: [a, b], length: 1}\n"
    "outputs:\n"
    "  - {name: a, on: a}\n"
    "  - {name: b, on: b}\n"
    "events:\n"
    "  - name: lock\n"
    "    when: (b.position.x - a.position.x)^2 + (b.position.y - a.position.y)^2 "
    "+ (b.position.z - a.position.z)^2 - 1\n"
    "    close: [bar]\n"
    "run: {step: 0.1, end: 3}\n";

TEST(closing_is_a_plastic_impact)
{
    for (int k = 0; k < 7; k++) {
        scene s = scene_open(coupling, NULL);
        event_log events = {0};
        olo_error error = {0};
        olo_ledger before, after;
        s.run.constraints = k < 4 ? treatments[k] : "reduced";
        s.run.scheme = k < 4 ? schemes[0] : schemes[k - 3];
        olo_system_ledger(s.system, s.state, &before);
        check_ok(run(&s, &events, &error), &error);
        check_equal(1, events.count);
        olo_system_ledger(s.system, s.state, &after);
        /* the impulse is along the bar and stops the relative velocity along it */
        double e[3], u = 0;
        const double t = events.t[0], w[3] = {-3, -0.3, 0.1}, d0[3] = {5, 0, 0};
        for (int i = 0; i < 3; i++)
            e[i] = d0[i] + w[i] * t;
        check_close(1.0, sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]), 1e-12);
        for (int i = 0; i < 3; i++)
            u += e[i] * w[i];
        check_close(0.5 * 0.75 * u * u, before.kinetic - after.kinetic, 1e-12);
        check_close(0.5 * 0.75 * u * u, after.dissipation, 1e-12);
        for (int i = 0; i < 3; i++) {
            check_close(before.linear_momentum[i], after.linear_momentum[i], 1e-13);
            check_close(before.angular_momentum[i], after.angular_momentum[i], 1e-12);
        }
        check_below(after.constraint_error, 1e-12);
        scene_close(&s);
    }
}

TEST(a_joint_closes_only_where_its_parts_meet)
{
    static const char text[] = "points:\n"
                               "  - {name: a, mass: 3, position: [0, 0, 0]}\n"
                               "  - {name: b, mass: 1, position: [5, 0, 0], velocity: [-1, 0, 0]}\n"
                               "rods:\n"
                               "  - {name: bar, between: [a, b], length: 1}\n"
                               "events:\n"
                               "  - {name: lock, at: 1.05, close: bar}\n"
                               "run: {step: 0.1, end: 3}\n";
    scene s = scene_open(text, NULL);
    event_log events = {0};
    olo_error error = {0};
    check_equal(OLO_BAD_INPUT, run(&s, &events, &error));
    check_contains("'bar' is open by", error.text);
    check_contains("t = 1.05", error.text);
    scene_close(&s);
}

/* Times between the steps; the second event has the time of the first and the last ends the run. */
static const char loads[] = "points:\n"
                            "  - {name: a, mass: 2, position: [0, 0, 0]}\n"
                            "loads:\n"
                            "  - {name: push, on: a, force: [6, 0, 0]}\n"
                            "  - {name: lift, on: a, force: [0, 0, 4]}\n"
                            "events:\n"
                            "  - {name: begin, at: 0.503, start: push, stop: lift}\n"
                            "  - {name: stop, at: 0.507, stop: [push]}\n"
                            "  - {name: again, when: t - 0.507, start: [lift]}\n"
                            "  - {name: finish, at: 0.7011, end: true}\n"
                            "run: {step: 0.01, end: 2}\n";

TEST(loads_start_and_stop_at_their_times)
{
    scene s = scene_open(loads, NULL);
    event_log events = {0};
    olo_error error = {0};
    check_ok(run(&s, &events, &error), &error);
    check_equal(4, events.count);
    check_close(0.503, events.t[0], 1e-15);
    check_close(0.507, events.t[1], 1e-15);
    check_close(0.507, events.t[2], 1e-15);
    check_close(0.7011, events.t[3], 1e-15);
    check_close(0.7011, olo_state_time(s.state), 1e-15);
    const double *v = olo_state_velocity(s.state);
    check_close(3 * 0.004, v[0], 1e-14);
    check_close(2 * (0.503 + 0.7011 - 0.507), v[2], 1e-13);
    scene_close(&s);
}

/* The rod tears at a force of twice the weight: m g (3 cos) = 2 m g for a fall from the horizontal.
 * Forces are means over a step, with energy-momentum those at its end, which are exact. */
TEST(a_rod_tears_at_its_force)
{
    static const char text[] = "plane: xz\n"
                               "gravity: [0, 0, -9.81]\n"
                               "points:\n"
                               "  - {name: stone, mass: 2, position: [-1, 0, 0]}\n"
                               "rods:\n"
                               "  - {name: string, between: [[0, 0, 0], stone]}\n"
                               "outputs:\n"
                               "  - {name: tension, reaction: string}\n"
                               "events:\n"
                               "  - {name: tear, when: tension.force - 2*2*9.81, open: string}\n"
                               "run: {step: 0.001, end: 1}\n";
    for (int k = 0; k < 2; k++) {
        scene s = scene_open(text, NULL);
        event_log events = {0};
        olo_error error = {0};
        s.run.scheme = schemes[k];
        check_ok(run(&s, &events, &error), &error);
        check_equal(1, events.count);
        check_close(-2.0 / 3.0, events.q[0][2], k == 0 ? 3e-3 : 1e-9);
        scene_close(&s);
    }
}

/* Bodies in space: a chain whose middle joint opens at an angle, and whose ends meet again. */
static const char bodies[] =
    "bodies:\n"
    "  - {name: a, mass: 2, inertia: [0.1, 0.2, 0.3], position: [0, 0, 0], "
    "angular_velocity: [0.4, 2, 0.1]}\n"
    "  - {name: b, mass: 1, inertia: [0.2, 0.1, 0.2], position: [1, 0, 0]}\n"
    "  - {name: c, mass: 3, inertia: [0.3, 0.2, 0.1], position: [2, 0, 0]}\n"
    "  - {name: d, mass: 1, inertia: [0.1, 0.1, 0.1], position: [2, 1, 0]}\n"
    "joints:\n"
    "  - {name: first, between: [a, b], at: [0.5, 0, 0], axis: [0, 1, 0.2], type: revolute, "
    "torque: 0.3}\n"
    "  - {name: middle, between: [c, b], at: [1.5, 0, 0], axis: [0, 0, 1], type: revolute}\n"
    "  - {name: last, between: [c, d], at: [2, 0.5, 0], type: spherical}\n"
    "events:\n"
    "  - {name: part, at: 0.4137, open: middle}\n"
    "  - {name: slack, when: first.angle.rate - 3, stop: first}\n"
    "run: {step: 0.01, end: 1.5}\n";

TEST(a_chain_of_bodies_parts)
{
    double reference[48];
    for (int k = 0; k < 6; k++) {
        scene s = scene_open(bodies, NULL);
        event_log events = {0};
        olo_error error = {0};
        s.run.constraints = k < 4 ? treatments[k] : "reduced";
        s.run.scheme = k < 4 ? schemes[0] : schemes[k - 3];
        const olo_ledger before = scene_ledger(&s);
        check_ok(run(&s, &events, &error), &error);
        const olo_ledger after = scene_ledger(&s);
        check_true(events.count >= 1);
        check_close(0.4137, events.t[0], 1e-15);
        for (int i = 0; i < 3; i++) {
            check_close(before.linear_momentum[i], after.linear_momentum[i], 1e-11);
            check_close(before.angular_momentum[i], after.angular_momentum[i], 1e-11);
        }
        if (k != 5)
            check_close(before.balance, after.balance, 1e-11);
        if (k == 0)
            memcpy(reference, olo_state_configuration(s.state), sizeof reference);
        for (int i = 0; k < 4 && i < 48; i++)
            check_close(reference[i], olo_state_configuration(s.state)[i], 1e-9);
        scene_close(&s);
    }
}

/* Two bodies turn and meet at their points; a ball joint closes there. */
static const char docking[] =
    "bodies:\n"
    "  - {name: a, mass: 2, inertia: [0.1, 0.2, 0.3], position: [0, 0, 0], "
    "angular_velocity: [0, 0, 1], points: {port: [0.5, 0, 0]}}\n"
    "  - {name: b, mass: 1, inertia: [0.2, 0.1, 0.2], position: [3, 0, 0], velocity: [-1, 0, 0], "
    "points: {port: [-0.3, 0, 0]}}\n"
    "joints:\n"
    "  - {name: dock, between: [a.port, b.port], type: spherical}\n"
    "outputs:\n"
    "  - {name: port, on: b.port}\n"
    "events:\n"
    "  - {name: meet, when: port.position.x - 0.5, close: dock}\n"
    "run: {step: 0.05, end: 5}\n";

TEST(what_is_closed_later_is_open_at_the_beginning)
{
    scene s = scene_open(docking, NULL);
    event_log events = {0};
    olo_error error = {0};
    /* the ports are apart, and nothing was moved to close them */
    check_close(3.0, scene_q(&s, "b")[0], 0.0);
    /* port a has turned away when port b arrives */
    check_equal(OLO_BAD_INPUT, run(&s, &events, &error));
    check_contains("'dock' is open by", error.text);
    scene_close(&s);
}

/* A resumed run has the bits of an uninterrupted one, before and after the event. */
static olo_status stop_at(void *context, const olo_system *system, const olo_state *state,
                          long step, const olo_step_report *report, olo_error *error)
{
    (void)system;
    (void)state;
    (void)report;
    (void)error;
    *(long *)context = step;
    return OLO_OK;
}

static long stop_step;

static bool wants_stop(void *context)
{
    return *(long *)context >= stop_step;
}

TEST(a_resumed_run_has_the_same_bits)
{
    for (int k = 0; k < 3; k++)
        for (int when = 0; when < 2; when++) {
            scene whole = scene_open(pendulum, NULL), parts = scene_open(pendulum, NULL);
            olo_error error = {0};
            olo_observer observer = olo_observer_default();
            olo_run_summary sum;
            long step = 0;
            whole.run.scheme = parts.run.scheme = schemes[k];
            stop_step = when ? 150 : 40;
            observer.context = &step;
            observer.step = stop_at;
            observer.stop = wants_stop;
            check_ok(olo_simulate(whole.system, &whole.run, whole.state, NULL, 0, NULL, &error),
                     &error);
            check_equal(OLO_INTERRUPTED, olo_simulate(parts.system, &parts.run, parts.state,
                                                      &observer, 1, &sum, &error));
            const size_t size = olo_state_saved_size(parts.state);
            void *block = malloc(size);
            olo_state_save(parts.state, block);
            olo_state *loaded;
            check_ok(olo_state_create(parts.system, &loaded, &error), &error);
            check_ok(olo_state_load(loaded, block, size, &error), &error);
            check_ok(olo_simulate_resume(parts.system, &parts.run, loaded, NULL, 0, &sum, &error),
                     &error);
            for (int i = 0; i < olo_system_coordinate_count(whole.system); i++) {
                check_close(olo_state_configuration(whole.state)[i],
                            olo_state_configuration(loaded)[i], 0.0);
                check_close(olo_state_velocity(whole.state)[i], olo_state_velocity(loaded)[i], 0.0);
            }
            free(block);
            olo_state_free(loaded);
            scene_close(&whole);
            scene_close(&parts);
        }
}

/* --- contacts --- */

/* A slider with dry friction and a rigid stop; the event opens its joint. */
TEST(an_opened_joint_has_neither_stops_nor_friction)
{
    static const char text[] =
        "bodies:\n"
        "  - {name: a, mass: 2, inertia: [0.1, 0.2, 0.3], velocity: [1.5, 0, 0]}\n"
        "joints:\n"
        "  - {name: j, type: prismatic, between: [ground, a], axis: [1, 0, 0], friction: 3, upper: "
        "0.7, stop_restitution: 0.5}\n"
        "events:\n"
        "  - {name: drop, at: 0.4, open: j}\n"
        "run: {step: 0.01, end: 2}\n";
    static const char *const scheme[] = {"contact", "contact-captured", "contact-two-step",
                                         "moreau"};
    for (int k = 0; k < 4; k++) {
        const olo_setting settings[] = {{"run.scheme", scheme[k]}};
        scene s = scene_open_set(text, NULL, settings, 1);
        event_log events = {0};
        olo_error error = {0};
        check_ok(run(&s, &events, &error), &error);
        check_equal(1, events.count);
        /* it slides with the deceleration 1.5, then freely, through the stop */
        const double v = 1.5 - 1.5 * 0.4, x = 1.5 * 0.4 - 0.5 * 1.5 * 0.16;
        check_close(v, olo_state_velocity(s.state)[0], 1e-12);
        check_close(x + 1.6 * v, olo_state_configuration(s.state)[0], 1e-12);
        check_true(x + 1.6 * v > 1);
        if (k < 3)
            check_close(3 * x, scene_ledger(&s).friction, 1e-12);
        if (k < 3) /* Moreau's rule does not distinguish friction from impacts */
            check_close(0, scene_ledger(&s).impact, 1e-15);
        check_close(0, scene_ledger(&s).penetration, 0);
        for (int c = 0; c < 2; c++) {
            olo_contact_state contact;
            olo_system_contact(s.system, s.state, c, &contact);
            check_true(contact.off && !contact.closed && !contact.sticking);
            check_close(0, contact.force[0], 0);
        }
        scene_close(&s);
    }
}

/* A rope holds a stone, tears at the lowest point, and another one catches it. */
TEST(a_rope_tears_and_another_one_catches)
{
    static const char text[] =
        "plane: xz\n"
        "gravity: [0, 0, -9.81]\n"
        "points: {name: stone, mass: 2, position: [1, 0, 0]}\n"
        "contacts:\n"
        "  - {name: rope, type: rope, between: [[0, 0, 0], stone], length: 1}\n"
        "  - {name: net, point: stone, origin: [0, 0, -1.5]}\n"
        "outputs: {name: stone, on: stone}\n"
        "events:\n"
        "  - {name: tear, when: stone.position.x, crosses: falling, open: rope, close: net}\n"
        "run: {step: 0.01, end: 1}\n";
    scene s = scene_open(text, NULL);
    event_log events = {0};
    olo_error error = {0};
    check_ok(run(&s, &events, &error), &error);
    check_equal(1, events.count);
    const double v = events.v[0][0], t = olo_state_time(s.state) - events.t[0];
    check_close(0, events.q[0][0], 1e-13);
    check_close(2 * g, v * v, 1e-3); /* the rope lets it slip inwards in the first step */
    check_close(v * t, olo_state_configuration(s.state)[0], 1e-12);
    check_close(-1.5, olo_state_configuration(s.state)[2], 1e-12);
    check_true(t > sqrt(2 * 0.5 / g));
    scene_close(&s);
}

/* --- latched groups --- */

/* A rod falls, turning, until its end is at the ground: there the end is held where it
 * lands. The angular momentum about this point is conserved, and energy afterwards. */
static const char foot[] =
    "plane: xz\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies: {name: rod, mass: 2, inertia: [0.1, 0.15, 0.1], position: [0.3, 0, 1], velocity: "
    "[0.7, 0, 0.2], angular_velocity: [0, 1.2, 0]}\n"
    "supports: {name: foot, on: {on: rod, at: [0.5, 0, 0]}}\n"
    "outputs:\n"
    "  - {name: tip, on: {on: rod, at: [0.5, 0, 0]}}\n"
    "  - {name: load, reaction: foot}\n"
    "events: {name: land, when: tip.position.z, crosses: falling, latch: foot}\n"
    "run: {step: 0.01, end: 0.6}\n";

static void tip_of(const olo_state *state, double tip[3], double rate[3])
{
    for (int i = 0; i < 3; i++) {
        tip[i] = olo_state_configuration(state)[i] + 0.5 * olo_state_configuration(state)[3 + i];
        rate[i] = olo_state_velocity(state)[i] + 0.5 * olo_state_velocity(state)[3 + i];
    }
}

TEST(a_foot_stays_where_it_lands)
{
    for (int k = 0; k < 7; k++) {
        scene s = scene_open(foot, NULL);
        event_log events = {0};
        olo_error error = {0};
        double tip[3], rate[3];
        s.run.constraints = k < 4 ? treatments[k] : "reduced";
        s.run.scheme = k < 4 ? schemes[0] : schemes[k - 3];
        check_ok(run(&s, &events, &error), &error);
        check_equal(1, events.count);
        /* flight: q = q0 + v t - g t^2/2, angle w t; the moment of velocities about the tip */
        const double t = events.t[0], w = 1.2, c = cos(w * t), d = -sin(w * t);
        const double z = 1 + 0.2 * t - 0.5 * g * t * t, vz = 0.2 - g * t;
        check_close(0, z + 0.5 * d, 1e-4);          /* a step turns by 2 atan(h w/2) */
        const double arm[2] = {-0.5 * c, -0.5 * d}; /* from the tip to the centre, x and z */
        const double L = 0.15 * w + 2 * (arm[1] * 0.7 - arm[0] * vz);
        const double after = L / (0.15 + 2 * 0.25);
        const double lost =
            0.5 * 2 * (0.49 + vz * vz) + 0.5 * 0.15 * w * w - 0.5 * (0.15 + 0.5) * after * after;
        check_close(lost, scene_ledger(&s).impact, 2e-4 * lost);
        tip_of(s.state, tip, rate);
        check_close(0.3 + 0.7 * t + 0.5 * c, tip[0], 1e-4);
        check_close(0, tip[2], 1e-12);
        check_close(0, rate[0], 2e-3);
        check_close(0, rate[2], 2e-3);
        if (k != 5)
            check_close(2 * g * 1 + 0.5 * 2 * 0.53 + 0.5 * 0.15 * w * w, scene_ledger(&s).balance,
                        1e-10);
        scene_close(&s);
    }
}

/* Two turning bodies in space; a joint point of one is elsewhere in the other when the joint
 * closes. Momenta are conserved, nothing moves along the latched directions, and the rest of the
 * motion conserves energy. */
TEST(a_latched_joint_between_bodies_conserves_momenta)
{
    static const char *const joints[] = {"spherical", "revolute", "rigid", "prismatic",
                                         "universal, axis2: [1, 0, 0]"};
    for (int j = 0; j < 5; j++)
        for (int k = 0; k < 6; k++) {
            char text[1024];
            snprintf(text, sizeof text,
                     "bodies:\n"
                     "  - {name: a, mass: 2, inertia: [0.1, 0.2, 0.25], angular_velocity: [0.4, 2, "
                     "0.1], velocity: [0.2, 0, 0.1]}\n"
                     "  - {name: b, mass: 1, inertia: [0.2, 0.1, 0.2], position: [1, 0.2, 0], "
                     "velocity: [-1, 0.3, 0.2], angular_velocity: [-1, 0.5, 0.7]}\n"
                     "joints: {name: hook, between: [a, {on: b, at: [-0.3, 0, 0.1]}], at: [0.7, "
                     "0.2, 0.1], axis: [0, 0, 1], type: %s}\n"
                     "events: {name: close, at: 0.4137, latch: hook}\n"
                     "run: {step: 0.01, end: 1}\n",
                     joints[j]);
            scene s = scene_open(text, NULL);
            event_log events = {0};
            olo_error error = {0};
            s.run.constraints = k < 4 ? treatments[k] : "reduced";
            s.run.scheme = k < 4 ? schemes[0] : schemes[k - 3];
            const olo_ledger before = scene_ledger(&s);
            check_ok(run(&s, &events, &error), &error);
            check_equal(1, events.count);
            const olo_ledger after = scene_ledger(&s);
            for (int i = 0; i < 3; i++) {
                check_close(before.linear_momentum[i], after.linear_momentum[i], 1e-11);
                check_close(before.angular_momentum[i], after.angular_momentum[i], 1e-11);
            }
            check_true(after.impact > 0.01);
            if (k != 5)
                check_close(before.balance, after.balance, 1e-11);
            scene_close(&s);
        }
}

/* A weld of two bodies that are anywhere: one body with the common angular velocity. */
TEST(a_latched_weld_makes_one_body)
{
    static const char text[] =
        "plane: xy\n"
        "bodies:\n"
        "  - {name: a, mass: 2, inertia: [1, 1, 0.3], angular_velocity: [0, 0, 2]}\n"
        "  - {name: b, mass: 1, inertia: [1, 1, 0.2], position: [1, 0.5, 0], velocity: [-1, 0.3, "
        "0], angular_velocity: [0, 0, -1]}\n"
        "joints: {name: weld, between: [a, b], type: rigid}\n"
        "events: {name: close, at: 0.3, latch: weld}\n"
        "run: {step: 0.01, end: 1}\n";
    for (int k = 0; k < 6; k++) {
        scene s = scene_open(text, NULL);
        event_log events = {0};
        olo_error error = {0};
        s.run.constraints = k < 4 ? treatments[k] : "reduced";
        s.run.scheme = k < 4 ? schemes[0] : schemes[k - 3];
        check_ok(run(&s, &events, &error), &error);
        /* about the common centre: reduced mass 2/3, the vector from a to b */
        const double r[2] = {1 - 0.3, 0.5 + 0.09}, v[2] = {-1, 0.3}, m = 2.0 / 3;
        const double J = 0.3 + 0.2 + m * (r[0] * r[0] + r[1] * r[1]);
        const double w = (0.3 * 2 - 0.2 + m * (r[0] * v[1] - r[1] * v[0])) / J;
        const double *qa = scene_q(&s, "a"), *va = scene_v(&s, "a"), *vb = scene_v(&s, "b"),
                     *qb = scene_q(&s, "b");
        check_close(w, qa[3] * va[4] - qa[4] * va[3], k == 5 ? 1e-4 : 1e-11);
        check_close(w, qb[3] * vb[4] - qb[4] * vb[3], k == 5 ? 1e-4 : 1e-11);
        check_close(-1.0 / 3, (2 * va[0] + vb[0]) / 3, 1e-13);
        check_close(hypot(r[0], r[1]), hypot(qb[0] - qa[0], qb[1] - qa[1]), 1e-12);
        check_close(0.5 * (0.3 * 4 + 0.2 + m * (v[0] * v[0] + v[1] * v[1]) - J * w * w),
                    scene_ledger(&s).impact, 1e-12);
        scene_close(&s);
    }
}

/* A rod that closes at any distance, and a clutch that closes at any angle. */
TEST(rods_and_relations_close_anywhere)
{
    static const char rod[] =
        "points:\n"
        "  - {name: a, mass: 3, position: [0, 0, 0], velocity: [2, 0.3, 0]}\n"
        "  - {name: b, mass: 1, position: [5, 0, 0], velocity: [-1, 0, 0.1]}\n"
        "rods: {name: bar, between: [a, b], length: 1}\n"
        "events: {name: lock, at: 0.333, latch: bar}\n"
        "run: {step: 0.1, end: 3}\n";
    static const char clutch[] =
        "bodies:\n"
        "  - {name: a, mass: 1, inertia: [0.1, 0.1, 0.2]}\n"
        "  - {name: b, mass: 1, inertia: [0.1, 0.1, 0.05], position: [1, 0, 0]}\n"
        "joints:\n"
        "  - {name: one, between: [ground, a], at: [0, 0, 0], axis: [0, 0, 1], rate: 3}\n"
        "  - {name: two, between: [ground, b], at: [1, 0, 0], axis: [0, 0, 1], rate: 1}\n"
        "relations: {name: gear, coordinate: two, follows: one, ratio: -2}\n"
        "events: {name: lock, at: 0.333, latch: gear}\n"
        "run: {step: 0.01, end: 2}\n";
    for (int k = 0; k < 7; k++) {
        scene s = scene_open(rod, NULL);
        event_log events = {0};
        olo_error error = {0};
        s.run.constraints = k < 4 ? treatments[k] : "reduced";
        s.run.scheme = k < 4 ? schemes[0] : schemes[k - 3];
        check_ok(run(&s, &events, &error), &error);
        double d[3], length = 0;
        const double *qa = scene_q(&s, "a"), *qb = scene_q(&s, "b");
        const double at[3] = {5 - 3 * 0.333, -0.3 * 0.333, 0.1 * 0.333};
        for (int i = 0; i < 3; i++) {
            d[i] = qb[i] - qa[i];
            length += at[i] * at[i];
        }
        check_close(sqrt(length), norm3(d), 1e-11);
        scene_close(&s);
        s = scene_open(clutch, NULL);
        events = (event_log){0};
        s.run.constraints = k < 4 ? treatments[k] : "reduced";
        s.run.scheme = k < 4 ? schemes[0] : schemes[k - 3];
        check_ok(run(&s, &events, &error), &error);
        /* 0.2 w1 and 0.05 w2 with impulses of the ratio of their rates */
        const double w1 = olo_system_joint_coordinate_rate(s.system, s.state, 0),
                     w2 = olo_system_joint_coordinate_rate(s.system, s.state, 1);
        check_true(fabs(w1) > 0.1);
        /* rates of the published scheme are of second order */
        const double tolerance = k == 5 || k < 4 ? 1e-3 : 1e-11;
        check_close(fabs(w2), 2 * fabs(w1), tolerance);
        const double sign = w2 / w1; /* 0.2 (w1 - 3)/(0.05 (w2 - 1)) = -w2/w1 */
        check_close(-sign * 0.05 * (w2 - 1), 0.2 * (w1 - 3), tolerance);
        scene_close(&s);
    }
}

/* A resumed run has the constants that were latched before it was stopped, also where a tolerance
 * chooses the steps. */
TEST(latched_constants_are_part_of_the_state)
{
    for (int k = 0; k < 4; k++) {
        scene whole = scene_open(foot, NULL), parts = scene_open(foot, NULL);
        olo_error error = {0};
        olo_observer observer = olo_observer_default();
        olo_run_summary sum;
        long step = 0;
        whole.run.tolerance = parts.run.tolerance = k < 2 ? 0 : 1e-7;
        check_ok(olo_simulate(whole.system, &whole.run, whole.state, NULL, 0, &sum, &error),
                 &error);
        stop_step = sum.steps * (k % 2 ? 9 : 3) / 10; /* it lands after two thirds of the time */
        observer.context = &step;
        observer.step = stop_at;
        observer.stop = wants_stop;
        check_equal(OLO_INTERRUPTED, olo_simulate(parts.system, &parts.run, parts.state, &observer,
                                                  1, &sum, &error));
        const size_t size = olo_state_saved_size(parts.state);
        void *block = malloc(size);
        olo_state_save(parts.state, block);
        olo_state *loaded;
        check_ok(olo_state_create(parts.system, &loaded, &error), &error);
        check_ok(olo_state_load(loaded, block, size, &error), &error);
        check_ok(olo_simulate_resume(parts.system, &parts.run, loaded, NULL, 0, &sum, &error),
                 &error);
        check_true(memcmp(whole.state->q, loaded->q, 12 * sizeof(double)) == 0);
        check_true(memcmp(whole.state->v, loaded->v, 12 * sizeof(double)) == 0);
        free(block);
        olo_state_free(loaded);
        scene_close(&whole);
        scene_close(&parts);
    }
}

/* --- steps that a tolerance chooses --- */

/* The release of the pendulum: its time converges with the tolerance to the exact one, at which the
 * elliptic integral F is that of the fall, and the flight is exact. */
TEST(events_are_located_in_steps_by_a_tolerance)
{
    static const double tolerance[] = {1e-6, 1e-9};
    static const char *const scheme[] = {"energy-momentum-2006", "energy-momentum"};
    /* t = integral of dx/sqrt(2 g sin x) from 0 to pi/2 + 0.4, x = u^2 */
    double exact = 0;
    const int pieces = 20000;
    const double end = sqrt(acos(0) + 0.4);
    for (int i = 0; i < pieces; i++) {
        const double u = end * (i + 0.5) / pieces;
        exact += 2 * u / sqrt(2 * g * sin(u * u)) * end / pieces;
    }
    for (int k = 0; k < 4; k++) {
        scene s = scene_open(pendulum, NULL);
        event_log events = {0};
        olo_error error = {0};
        s.run.scheme = scheme[k % 2];
        s.run.order = 4;
        s.run.tolerance = tolerance[k / 2];
        check_ok(run(&s, &events, &error), &error);
        check_equal(1, events.count);
        check_close(exact, events.t[0], 100 * tolerance[k / 2]);
        const double *q = events.q[0], *v = events.v[0];
        check_close(sin(0.4), q[0], 1e-12);
        check_close(2 * g * cos(0.4), v[0] * v[0] + v[2] * v[2], 1e-10);
        const double t = olo_state_time(s.state) - events.t[0];
        check_close(2.0, olo_state_time(s.state), 0);
        check_close(q[0] + v[0] * t, olo_state_configuration(s.state)[0], 1e-11);
        check_close(q[2] + v[2] * t - 0.5 * g * t * t, olo_state_configuration(s.state)[2], 1e-11);
        scene_close(&s);
    }
}

/* Several events in one long step, times between the steps, and the end. */
TEST(all_events_happen_in_steps_by_a_tolerance)
{
    scene s = scene_open(loads, NULL);
    event_log events = {0};
    olo_error error = {0};
    s.run.tolerance = 1e-6;
    s.run.step = 0.4;
    s.run.grid = 0.25;
    check_ok(run(&s, &events, &error), &error);
    check_equal(4, events.count);
    check_close(0.503, events.t[0], 1e-14);
    check_close(0.507, events.t[1], 1e-14);
    check_close(0.507, events.t[2], 1e-14);
    check_close(0.7011, olo_state_time(s.state), 1e-14);
    const double *v = olo_state_velocity(s.state);
    check_close(3 * 0.004, v[0], 1e-13);
    check_close(2 * (0.503 + 0.7011 - 0.507), v[2], 1e-13);
    scene_close(&s);
}

TEST(a_joint_that_closes_later_implies_no_initial_velocity)
{
    scene s =
        scene_open("bodies:\n"
                   "  - {name: a, mass: 2, inertia: [1, 1, 1]}\n"
                   "  - {name: b, mass: 1, inertia: [1, 1, 1], position: [1, 0, 0], velocity: "
                   "[0, 1, 0], angular_velocity: [0, 0, 2]}\n"
                   "joints: {name: weld, between: [a, b], type: rigid}\n"
                   "events: {at: 1, latch: weld}\n",
                   NULL);
    check_close(0, norm3(scene_v(&s, "a")), 0);
    check_close(0, norm3(scene_v(&s, "a") + 3), 0);
    scene_close(&s);
}

/* A bolt shuts a door that turns with -2 rad/s when its angle is -1 rad, after half a second; the
 * impact stops it, at which another event opens the bolt again. At other times or for other things
 * events do not disturb each other. */
TEST(events_that_undo_each_other_at_one_time_are_an_error)
{
    static const struct {
        const char *events;
        bool fails;
    } row[] = {{"  - {name: shut, when: hinge.angle + 1, crosses: falling, latch: bolt}\n"
                "  - {name: bounce, when: hinge.angle.rate + 0.5, crosses: rising, open: bolt}\n",
                true},
               {"  - {name: shut, at: 0.5, latch: bolt}\n"
                "  - {name: bounce, when: t - 0.5, open: bolt}\n",
                true},
               {"  - {name: shut, when: hinge.angle + 1, crosses: falling, latch: bolt}\n"
                "  - {name: bounce, when: t - 0.50001, open: bolt}\n",
                false},
               {"  - {name: shut, when: hinge.angle + 1, crosses: falling, latch: bolt}\n"
                "  - {name: bounce, when: hinge.angle.rate + 0.5, crosses: rising, start: push}\n",
                false}};
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 2; k++) {
            char text[1000];
            snprintf(text, sizeof text,
                     "bodies: {name: door, mass: 3, inertia: [0.1, 0.2, 0.3], position: [0.5, 0, "
                     "0]}\n"
                     "joints:\n"
                     "  - {name: hinge, between: [ground, door], at: [0, 0, 0], axis: [0, 0, 1], "
                     "rate: -2}\n"
                     "  - {name: bolt, between: [ground, door], type: rigid}\n"
                     "loads: {name: push, on: door, force: [0, 0, 1]}\n"
                     "events:\n%s"
                     "run: {step: 0.03, end: 1}\n",
                     row[i].events);
            scene s = scene_open(text, NULL);
            event_log events = {0};
            olo_error error = {0};
            if (k == 1)
                s.run.tolerance = 1e-6;
            const olo_status status = run(&s, &events, &error);
            if (row[i].fails) {
                check_status(OLO_BAD_INPUT, status);
                check_contains(": at t = 0.5", error.text);
                check_contains("the event 'bounce' undoes what 'shut' (test:", error.text);
            } else {
                check_ok(status, &error);
                check_equal(2, events.count);
            }
            check_close(0.5, events.t[0], 1e-3);
            scene_close(&s);
        }
}

TEST(whatever_cannot_handle_events_says_so)
{
    scene s = scene_open(pendulum, NULL);
    olo_error error = {0};
    olo_stepper *stepper;
    check_equal(OLO_UNSUPPORTED, olo_stepper_create(s.system, &s.run, &stepper, &error));
    check_contains("events[0]", error.text);
    check_contains("single steps and derivatives of runs cannot handle events", error.text);
    olo_derivatives *derivatives;
    check_equal(OLO_UNSUPPORTED, olo_derivatives_create(s.system, &s.run, &derivatives, &error));
    check_contains("events[0]: single steps and derivatives of runs cannot", error.text);
    olo_equilibrium_options options = olo_equilibrium_options_default();
    check_equal(OLO_UNSUPPORTED,
                olo_find_equilibrium(s.system, &options, s.state, NULL, 0, NULL, &error));
    check_contains("statics cannot handle events", error.text);
    scene_close(&s);
}

TEST_MAIN(cmocka_unit_test(after_a_release_the_stone_flies_on_a_parabola),
          cmocka_unit_test(energy_is_constant_through_a_release),
          cmocka_unit_test(closing_is_a_plastic_impact),
          cmocka_unit_test(a_joint_closes_only_where_its_parts_meet),
          cmocka_unit_test(loads_start_and_stop_at_their_times),
          cmocka_unit_test(a_rod_tears_at_its_force), cmocka_unit_test(a_chain_of_bodies_parts),
          cmocka_unit_test(what_is_closed_later_is_open_at_the_beginning),
          cmocka_unit_test(a_resumed_run_has_the_same_bits),
          cmocka_unit_test(an_opened_joint_has_neither_stops_nor_friction),
          cmocka_unit_test(a_rope_tears_and_another_one_catches),
          cmocka_unit_test(a_foot_stays_where_it_lands),
          cmocka_unit_test(a_latched_joint_between_bodies_conserves_momenta),
          cmocka_unit_test(a_latched_weld_makes_one_body),
          cmocka_unit_test(rods_and_relations_close_anywhere),
          cmocka_unit_test(latched_constants_are_part_of_the_state),
          cmocka_unit_test(events_are_located_in_steps_by_a_tolerance),
          cmocka_unit_test(all_events_happen_in_steps_by_a_tolerance),
          cmocka_unit_test(a_joint_that_closes_later_implies_no_initial_velocity),
          cmocka_unit_test(events_that_undo_each_other_at_one_time_are_an_error),
          cmocka_unit_test(whatever_cannot_handle_events_says_so))
