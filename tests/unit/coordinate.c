/* Joint coordinates: values, rates, turns, and discrete gradients that give their change exactly.
 * */
#include "test.h"

#include <float.h>

#include "base/memory.h"
#include "linalg/vec3.h"
#include "oloid/oloid.h"
#include "reference.h"
#include "system/interval.h"
#include "system/system.h"

static const double pi = 3.14159265358979323846;

/* --- systems --- */

static olo_status compile(const char *text, olo_system **system, olo_error *error)
{
    olo_model *model = NULL;
    *system = NULL;
    olo_status status =
        olo_model_read_text(text, strlen(text), "test.yaml", NULL, 0, &model, error);
    if (status == OLO_OK)
        status = olo_model_compile(model, system, error);
    olo_model_free(model);
    return status;
}

static olo_system *system_of(const char *text)
{
    olo_error error = {0};
    olo_system *system = NULL;
    check_ok(compile(text, &system, &error), &error);
    return system;
}

static olo_state *start_of(const olo_system *system)
{
    olo_error error = {0};
    olo_state *x = NULL;
    check_ok(olo_system_create_initial_state(system, &x, NULL, &error), &error);
    return x;
}

/* Two bodies with a joint of any type about an axis that is none of theirs. */
static olo_system *pair_of(const char *type, const char *more)
{
    char text[1200];
    snprintf(
        text, sizeof text,
        "bodies:\n"
        "  - {name: a, mass: 2, inertia: [1, 2, 2.5], position: [1, -1, 0.5],\n"
        "     rotation: {axis: [1, 2, 3], angle: 0.7}, velocity: [0.1, 0.2, 0.3],\n"
        "     angular_velocity: [0.4, -1, 2]}\n"
        "  - {name: b, mass: 1, inertia: [0.5, 0.6, 0.7], position: [2, 0.5, -1],\n"
        "     rotation: {axis: [-2, 1, 1], angle: 1.9}}\n"
        "joints: {name: j, type: %s, between: [a, b], at: [1.5, 0.2, 0.1], axis: [2, -1, 2]%s}\n",
        type, more);
    return system_of(text);
}

/* --- what there is --- */

TEST(joints_have_the_coordinates_of_their_degrees_of_freedom)
{
    static const struct {
        const char *type;
        int count;
        const char *names[3];
    } cases[] = {
        {"revolute", 1, {"j.angle"}},
        {"prismatic", 1, {"j.position"}},
        {"cylindrical", 2, {"j.position", "j.angle"}},
        {"planar", 3, {"j.position1", "j.position2", "j.angle"}},
        {"point-on-line", 1, {"j.position"}},
        {"point-on-plane", 2, {"j.position1", "j.position2"}},
        {"spherical", 0, {NULL}},
        {"rigid", 0, {NULL}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        olo_system *system = pair_of(cases[i].type, "");
        check_equal(cases[i].count, olo_system_joint_coordinate_count(system));
        for (int k = 0; k < cases[i].count; k++) {
            const char *name = olo_system_joint_coordinate_name(system, k);
            check_text(cases[i].names[k], name);
            check_equal(k, olo_system_find_joint_coordinate(system, name));
            check_equal(strstr(name, "angle") != NULL,
                        olo_system_joint_coordinate_is_angle(system, k));
        }
        check_equal(-1, olo_system_find_joint_coordinate(system, "j.twist"));
        olo_system_free(system);
    }
}

TEST(coordinates_are_zero_where_the_points_meet_and_move_at_the_given_rates)
{
    olo_system *system = pair_of("cylindrical", ", rate: 1.25, sliding: [4, -2, 4]");
    olo_state *x = start_of(system);
    check_close(0, olo_system_joint_coordinate_value(system, x, 0), 1e-14);
    check_close(0, olo_system_joint_coordinate_value(system, x, 1), 1e-14);
    /* sliding . axis = 6 */
    check_close(6, olo_system_joint_coordinate_rate(system, x, 0), 1e-13);
    check_close(1.25, olo_system_joint_coordinate_rate(system, x, 1), 1e-13);
    olo_state_free(x);
    olo_system_free(system);
}

/* The coordinate is that of the second body relative to the first, in either order, about the given
 * axis. */
TEST(the_sense_of_a_coordinate_is_that_of_the_second_body_about_the_axis)
{
    static const char *const spaces[] = {
        "joints: {name: j, between: [ground, a], axis: [0, 0, 1], rate: 3}",
        "joints: {name: j, between: [ground, a], axis: [0, 0, -1], rate: 3}",
        "joints: {name: j, between: [a, ground], axis: [0, 0, 1], rate: 3}",
        "plane: xy\njoints: {name: j, between: [ground, a], rate: 3}",
        "plane: xy\njoints: {name: j, between: [ground, a], axis: [0, 0, -1], rate: 3}",
        "plane: xy\njoints: {name: j, between: [a, ground], axis: [0, 0, 1], rate: 3}",
        "plane: xy\njoints: {name: j, between: [a, ground], axis: [0, 0, -1], rate: 3}",
    };
    static const double spin[] = {3, -3, -3, 3, -3, -3, 3}; /* of the body about z */
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
        char text[400];
        snprintf(text, sizeof text, "bodies: {name: a, mass: 1, inertia: [1, 1, 1]}\n%s\n",
                 spaces[i]);
        olo_system *system = system_of(text);
        olo_state *x = start_of(system);
        check_close(3, olo_system_joint_coordinate_rate(system, x, 0), 1e-14);
        check_close(spin[i], olo_state_velocity(x)[4], 1e-14); /* d1 = e_x turns to e_y */
        olo_state_free(x);
        olo_system_free(system);
    }
}

TEST(a_slide_counts_from_the_first_point_to_the_second)
{
    static const char *const orders[] = {"[ground, a]", "[a, ground]"};
    for (int i = 0; i < 2; i++) {
        double sign = i == 0 ? 1 : -1;
        char text[400];
        snprintf(text, sizeof text,
                 "bodies: {name: a, mass: 1, inertia: [1, 1, 1], position: [0, 2, 0]}\n"
                 "joints: {name: j, type: prismatic, between: %s, axis: [0, 1, 0],\n"
                 "  sliding: [0, 5, 0]}\n",
                 orders[i]);
        olo_system *system = system_of(text);
        olo_state *x = start_of(system);
        check_close(sign * 2, olo_system_joint_coordinate_value(system, x, 0), 1e-14);
        check_close(5, olo_system_joint_coordinate_rate(system, x, 0), 1e-14);
        check_close(sign * 5, olo_state_velocity(x)[1], 1e-14);
        olo_state_free(x);
        olo_system_free(system);
    }
}

/* --- discrete gradients --- */

/* The change of v by a rotation about the unit vector n, in extended precision, also for small
 * angles. */
static void turn(const double n[3], long double angle, const long double v[3], long double add[3])
{
    long double half = sinl(angle / 2), s = sinl(angle), along = 0, square = 0;
    for (int i = 0; i < 3; i++) {
        along += n[i] * v[i];
        square += (long double)n[i] * n[i];
    }
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        add[i] = s * (n[j] * v[k] - n[k] * v[j]) - 2 * half * half * (v[i] - along / square * n[i]);
    }
}

/* A step in which the second body rotates about the axis of the joint, and both rotate together
 * about another axis. */
typedef struct turning {
    double q0[24], q1[24], qm[24], dq[24];
    double angles[3];
    olo_interval x;
} turning;

static void turn_by(turning *y, const olo_system *system, double start, double angle, double common)
{
    const double n[3] = {2.0 / 3, -1.0 / 3, 2.0 / 3}, m[3] = {0.6, 0, 0.8};
    for (int first = 0; first < 24; first += 3) {
        bool second = first >= 12;
        long double v[3], w[3], add[3], more[3];
        for (int i = 0; i < 3; i++)
            v[i] = system->q0[first + i];
        turn(n, second ? start : 0, v, add);
        for (int i = 0; i < 3; i++)
            v[i] += add[i];
        turn(n, second ? angle : 0, v, add);
        for (int i = 0; i < 3; i++)
            w[i] = v[i] + add[i];
        turn(m, common, w, more);
        for (int i = 0; i < 3; i++) {
            y->q0[first + i] = (double)v[i];
            y->q1[first + i] = (double)(w[i] + more[i]);
            y->dq[first + i] = (double)(add[i] + more[i]);
            y->qm[first + i] = (double)(v[i] + (add[i] + more[i]) / 2);
        }
    }
    y->x = (olo_interval){
        .q0 = y->q0, .q1 = y->q1, .qm = y->qm, .dq = y->dq, .h = 0.1, .angles = y->angles};
}

TEST(the_discrete_gradient_of_an_angle_gives_its_change_for_any_step)
{
    olo_system *system = pair_of("revolute", "");
    const olo_term *angle = system->joint_coordinates[0].term;
    for (double size = 3.1; size > 1e-13; size /= 7.3) {
        for (int sign = -1; sign <= 1; sign += 2) {
            for (int turns = -2; turns <= 2; turns++) {
                turning y;
                double d[24], change = 0, terms = 0;
                double start = 1.3 + 2 * pi * turns, step = sign * size;
                turn_by(&y, system, start, step, size);
                y.angles[0] = start + 2.9 * sign;
                const double got = olo_term_discrete(angle, &y.x, d, NULL);
                for (int i = 0; i < angle->size; i++) {
                    change += d[i] * y.dq[angle->index[i]];
                    terms += fabs(d[i] * y.dq[angle->index[i]]);
                }
                /* near half a turn S = sin(step) is a small difference of numbers of size one */
                double left = size > 1 ? fabs(sin(size)) : 1;
                double rounding = 4 * DBL_EPSILON * (size + terms) / left;
                check_close(step, got, rounding);
                check_close(step, change, rounding);
                check_close(start, olo_term_energy(angle, y.q0, y.angles), 1e-14);
                /* the value after the step is the one nearest to the value before */
                y.angles[0] = start;
                check_close(start + step, olo_term_energy(angle, y.q1, y.angles), 1e-14);
            }
        }
    }
    olo_system_free(system);
}

/* A common rotation does no work: the gradient is equal and opposite on both bodies, in any
 * step. */
TEST(a_discrete_gradient_between_bodies_has_no_resultant)
{
    static const char *const types[] = {"revolute", "cylindrical", "planar", "prismatic"};
    for (int t = 0; t < 4; t++) {
        olo_system *system = pair_of(types[t], "");
        for (int c = 0; c < system->joint_coordinate_count; c++) {
            const olo_term *term = system->joint_coordinates[c].term;
            turning y = {.angles = {0}};
            double d[24], force[3] = {0}, moment[3] = {0}, full[24] = {0}, scale = 0;
            turn_by(&y, system, 0.4, 0.9, 1.1);
            olo_term_discrete(term, &y.x, d, NULL);
            for (int i = 0; i < term->size; i++)
                full[term->index[i]] = d[i];
            for (int v = 0; v < 24; v += 3) {
                if (v % 12 == 0)
                    vec3_add(1.0, full + v, force);
                vec3_add_cross(y.qm + v, full + v, moment);
                scale += vec3_norm(full + v);
            }
            check_true(scale > 0.5);
            check_below(vec3_norm(force), 1e-15 * scale);
            check_below(vec3_norm(moment), 4e-15 * scale);
        }
        olo_system_free(system);
    }
}

TEST(an_angle_at_rest_has_the_gradient_of_the_angle)
{
    olo_system *system = pair_of("revolute", "");
    const olo_term *angle = system->joint_coordinates[0].term;
    turning y = {.angles = {0}};
    double d[24], gradient[24], tangent[24 * 24];
    turn_by(&y, system, 0.7, 0.0, 0.0);
    check_close(0, olo_term_discrete(angle, &y.x, d, tangent), 0.0);
    olo_term_gradient(angle, y.q0, y.angles, gradient);
    for (int i = 0; i < angle->size; i++)
        check_close(gradient[i], d[i], 1e-15);
    for (int i = 0; i < angle->size * angle->size; i++)
        check_true(isfinite(tangent[i]));
    olo_system_free(system);
}

/* --- drives --- */

static double push(void *context, double t, double coordinate, double rate)
{
    (void)context;
    return sin(t + 2 * coordinate) - 0.3 * rate * rate * rate;
}

/* A joint with a torque or force over time, or a function instead, and a controller, all along one
 * coordinate. */
static olo_system *driven(const char *type, const char *coordinate, bool function, olo_error *error)
{
    const char *text = "bodies:\n"
                       "  - {name: a, mass: 2, inertia: [1, 2, 2.5], position: [1, -1, 0.5],\n"
                       "     rotation: {axis: [1, 2, 3], angle: 0.7}}\n"
                       "  - {name: b, mass: 1, inertia: [0.5, 0.6, 0.7], position: [2, 0.5, -1]}\n";
    olo_model *model = NULL;
    olo_system *system = NULL;
    olo_joint joint = olo_joint_default();
    joint.name = "j";
    joint.type = type;
    joint.coordinate = coordinate;
    joint.between[0].on = "a";
    joint.between[1].on = "b";
    vec3_set(1.5, 0.2, 0.1, joint.at);
    vec3_set(2, -1, 2, joint.axis);
    if (function)
        joint.function = push;
    else
        *(strcmp(coordinate, "angle") == 0 ? &joint.torque : &joint.force) = 3;
    olo_signal signal = olo_signal_default(), target = olo_signal_default();
    olo_controller controller = olo_controller_default();
    signal.expression = "cos(t)";
    joint.signal = &signal;
    joint.stiffness = 2;
    joint.damping = 0.1;
    joint.lower = -1;
    joint.stop_stiffness = 10;
    target.expression = "sin(3*t)";
    controller.kp = 5;
    controller.kd = 0.7;
    controller.target = &target;
    joint.controller = &controller;
    if (olo_model_read_text(text, strlen(text), "test.yaml", NULL, 0, &model, error) == OLO_OK &&
        olo_model_add_joint(model, &joint, error) == OLO_OK)
        (void)olo_model_compile(model, &system, error);
    olo_model_free(model);
    return system;
}

/* F (x1 - x0) is the work, F the law of the drive at the midpoint. */
TEST(drives_do_the_work_of_their_laws)
{
    const double start = 7.1, step = 0.8, h = 0.1, t = 0.4, x = start + step / 2, v = step / h;
    const double controller =
        5 * (sin(3 * t) - x) + 0.7 * ((sin(3 * (t + h / 2)) - sin(3 * (t - h / 2))) / h - v);
    const double expected[2][2] = {{3 * cos(t), controller},
                                   {controller, cos(t) * push(NULL, t, x, v)}};
    for (int function = 0; function < 2; function++) {
        olo_error error = {0};
        olo_system *system = driven("revolute", "angle", function, &error);
        check_ok(error.status, &error);
        check_equal(2, system->action_count);
        for (int i = 0; i < 2; i++) {
            const olo_action *action = &system->actions[i];
            turning y;
            double f[24], work = 0;
            turn_by(&y, system, start, step, 0.6);
            y.angles[0] = start;
            y.x.t = t - h / 2;
            olo_evaluate_action(action, &y.x, f, NULL);
            for (int k = 0; k < action->size; k++)
                work += f[k] * y.dq[action->index[k]];
            check_relative(expected[function][i] * step, work, 1e-13);
        }
        olo_system_free(system);
    }
}

/* df/dq1 compared with differences, for which midpoint and increment follow q1. */
TEST(tangents_of_drives_are_those_of_their_forces)
{
    static const struct {
        const char *type, *coordinate;
    } cases[] = {{"revolute", "angle"}, {"cylindrical", "position"}, {"planar", "position2"}};
    for (int c = 0; c < 6; c++) {
        olo_error error = {0};
        olo_system *system = driven(cases[c % 3].type, cases[c % 3].coordinate, c >= 3, &error);
        check_ok(error.status, &error);
        for (int i = 0; i < system->action_count; i++) {
            const olo_action *action = &system->actions[i];
            turning y = {.angles = {0}};
            double f[24], tangent[24 * 24], high[24], low[24], scale = 0;
            const double d = 1e-5;
            /* that of a C function is itself a difference quotient, which only accelerates
             * Newton */
            const double tolerance = action->type->motion_tangent ? 1e-5 : 1e-7;
            turn_by(&y, system, 0.3, 0.5, 0.4);
            y.x.t = 0.4;
            olo_evaluate_action(action, &y.x, f, tangent);
            for (int k = 0; k < action->size * action->size; k++)
                scale = larger(scale, fabs(tangent[k]));
            for (int k = 0; k < action->size; k++) {
                const int at = action->index[k];
                for (int side = 1; side >= -1; side -= 2) {
                    turning z = y;
                    z.q1[at] += side * d;
                    z.qm[at] += side * d / 2;
                    z.dq[at] += side * d;
                    z.x = (olo_interval){.q0 = z.q0,
                                         .q1 = z.q1,
                                         .qm = z.qm,
                                         .dq = z.dq,
                                         .h = y.x.h,
                                         .angles = z.angles,
                                         .t = y.x.t};
                    olo_evaluate_action(action, &z.x, side > 0 ? high : low, NULL);
                }
                for (int row = 0; row < action->size; row++)
                    check_close((high[row] - low[row]) / (2 * d), tangent[row * action->size + k],
                                tolerance * scale);
            }
        }
        olo_system_free(system);
    }
}

TEST(running_out_of_memory_leaves_nothing_behind)
{
    const size_t before = olo_memory_alive();
    olo_system *system = NULL;
    for (size_t n = 1; system == NULL; n++) {
        olo_error error = {0};
        check_below((double)n, 1e4);
        olo_memory_fail_at(n);
        system = driven("cylindrical", "angle", true, &error);
        check_status(system ? OLO_OK : OLO_NO_MEMORY, error.status);
        if (system == NULL)
            check_equal(before, olo_memory_alive());
    }
    olo_memory_fail_at(0);
    olo_system_free(system);
    check_equal(before, olo_memory_alive());
}

/* --- turns --- */

TEST(turns_are_counted_and_copied_with_the_state)
{
    olo_system *system = pair_of("revolute", "");
    olo_state *x = start_of(system), *copy = NULL;
    olo_error error = {0};
    double angle = 0;
    for (int i = 0; i < 200; i++) {
        turning y;
        angle += i < 100 ? 2.9 : -2.1;
        turn_by(&y, system, angle, 0, 0);
        olo_state_set_configuration(system, x, y.q0);
        check_close(angle, olo_system_joint_coordinate_value(system, x, 0), 1e-13);
    }
    check_close(80, angle, 1e-11);
    check_ok(olo_state_clone(x, &copy, &error), &error);
    check_close(angle, olo_system_joint_coordinate_value(system, copy, 0), 1e-13);
    olo_state_free(copy);
    olo_state_free(x);
    olo_system_free(system);
}

/* --- stops --- */

static void stop_along(void *context, quad t, quad *s)
{
    quad **x = context; /* the quantity that is varied, then e0, e1 */
    quad_law *law = (quad_law *)(void *)x[3];
    *x[0] += t;
    quad_stress(law, x[1], x[2], s);
    *x[0] -= t;
}

/* For every order of the two ends of a step and the two bounds: from the free range into a stop,
 * through both stops, within a stop, ... */
TEST(stops_balance_energy_wherever_the_step_meets_them)
{
    const double positions[] = {-3.2, -1.7, -0.4, 0.3, 1.6, 2.9}, c[3] = {7, -1.1, 1.2};
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            if (i == j)
                continue;
            quad e0 = positions[i], e1 = positions[j];
            quad_law law = {.law = &olo_law_stop, .k = 1, .c = {c[0], c[1], c[2]}, .h = 1};
            double de = positions[j] - positions[i];
            olo_law_input x = {
                .k = 1, .e0 = &positions[i], .e1 = &positions[j], .de = &de, .h = 1, .c = c};
            olo_law_over over;
            olo_law_stop.over(&x, OLO_LAW_SECOND, true, &over);
            check_close((double)(quad_energy(&law, &e1) - quad_energy(&law, &e0)), over.s[0] * de,
                        1e-14 * c[0] * 10);
            quad *moved[] = {&e0, &e1, &law.c[0], &law.c[1], &law.c[2]};
            const double first[] = {over.s0[0], over.s1[0], over.sc[0], over.sc[1], over.sc[2]};
            for (int m = 0; m < 5; m++) {
                quad exact, *context[] = {moved[m], &e0, &e1, (quad *)(void *)&law};
                quad_derivative(stop_along, context, (quad)1e-3, 1, &exact);
                check_close((double)exact, first[m], 1e-12);
            }
            /* second derivatives: differences of the first ones */
            const double d = 1e-5, up[2] = {positions[i] + d, positions[j] + d};
            const double down[2] = {positions[i] - d, positions[j] - d};
            const double exact[3] = {over.s00[0], over.s01[0], over.s11[0]};
            for (int m = 0; m < 3; m++) {
                bool end = m > 0; /* which end is varied */
                olo_law_over high, low;
                olo_law_input y = x;
                double e = end ? de + d : de - d;
                y.e0 = end ? &positions[i] : &up[0];
                y.e1 = end ? &up[1] : &positions[j];
                y.de = &e;
                olo_law_stop.over(&y, OLO_LAW_FIRST, false, &high);
                e = end ? de - d : de + d;
                y.e0 = end ? &positions[i] : &down[0];
                y.e1 = end ? &down[1] : &positions[j];
                olo_law_stop.over(&y, OLO_LAW_FIRST, false, &low);
                double difference = m < 2 ? (high.s0[0] - low.s0[0]) : (high.s1[0] - low.s1[0]);
                check_close(difference / (2 * d), exact[m], 1e-7);
            }
        }
}

/* --- what cannot be meant --- */

TEST(drives_that_have_nothing_to_act_on_are_refused_with_a_reason)
{
    static const struct {
        const char *type, *keys, *text;
    } cases[] = {
        {"prismatic", ", torque: 1", "no angle"},
        {"revolute", ", force: 1", "no position"},
        {"spherical", ", stiffness: 1", "no coordinate"},
        {"cylindrical", ", stiffness: 1", "position, angle"},
        {"planar", ", force: 1", "position1, position2"},
        {"revolute", ", stiffness: 1, coordinate: position", "no position"},
        {"revolute", ", rest: 1", "needs a stiffness"},
        {"revolute", ", damping: -1", "negative"},
        {"revolute", ", upper: 1", "stop_stiffness"},
        {"revolute", ", stop_stiffness: 1", "lower or upper"},
        {"revolute", ", lower: 2, upper: 1, stop_stiffness: 1", "above"},
        {"revolute", ", upper: 1, stop_stiffness: 1, stop_restitution: 0", "rigid or a spring"},
        {"revolute", ", upper: 1, stop_restitution: 1.5", "between 0 and 1, got 1.5"},
        {"revolute", ", upper: 1, stop_restitution: -1", "between 0 and 1, got -1"},
        {"revolute", ", stop_restitution: 0.5", "lower or upper"},
        {"prismatic", ", lower: 2, upper: 1, stop_restitution: 1", "above"},
        {"cylindrical", ", upper: 1, stop_restitution: 1", "position, angle"},
        {"revolute", ", friction: -1", "must not be negative, got -1"},
        {"spherical", ", friction: 1", "no coordinate"},
        {"universal", ", axis2: [1, 0, 0], friction: 1", "angle1, angle2"},
        {"revolute", ", time: sin(t)", "torque and force"},
        {"revolute", ", controller: {target: 1}", "kp or kd"},
        {"revolute", ", controller: {kp: 1, gain: 2}", "unknown key 'gain'"},
        {"revolute", ", controller: 3", "map"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[600];
        olo_system *system = NULL;
        olo_error error = {0};
        snprintf(text, sizeof text,
                 "bodies: {name: a, mass: 1, inertia: [1, 1, 1]}\n"
                 "joints: {name: j, type: %s, between: [ground, a], axis: [0, 0, 1]%s}\n",
                 cases[i].type, cases[i].keys);
        check_status(OLO_BAD_INPUT, compile(text, &system, &error));
        check_contains(cases[i].text, error.text);
        olo_system_free(system);
    }
}

TEST_MAIN(cmocka_unit_test(joints_have_the_coordinates_of_their_degrees_of_freedom),
          cmocka_unit_test(coordinates_are_zero_where_the_points_meet_and_move_at_the_given_rates),
          cmocka_unit_test(the_sense_of_a_coordinate_is_that_of_the_second_body_about_the_axis),
          cmocka_unit_test(a_slide_counts_from_the_first_point_to_the_second),
          cmocka_unit_test(the_discrete_gradient_of_an_angle_gives_its_change_for_any_step),
          cmocka_unit_test(a_discrete_gradient_between_bodies_has_no_resultant),
          cmocka_unit_test(an_angle_at_rest_has_the_gradient_of_the_angle),
          cmocka_unit_test(drives_do_the_work_of_their_laws),
          cmocka_unit_test(tangents_of_drives_are_those_of_their_forces),
          cmocka_unit_test(running_out_of_memory_leaves_nothing_behind),
          cmocka_unit_test(turns_are_counted_and_copied_with_the_state),
          cmocka_unit_test(stops_balance_energy_wherever_the_step_meets_them),
          cmocka_unit_test(drives_that_have_nothing_to_act_on_are_refused_with_a_reason))
