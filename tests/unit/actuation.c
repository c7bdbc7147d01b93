/* Consistent actuation (sheet on variational integrators and DMOCC, 2.15 and K4): forces and
 * torques within a joint act on both bodies such that the total momenta do not change, and their
 * power is that of the joint coordinate. On the chart of the tree, J^T f vanishes for the free body
 * that is the base, and has the derivatives of the coordinate for the joint. */
#include "scene.h"

#include "kinematics/chart.h"
#include "kinematics/topology.h"
#include "system/interval.h"
#include "system/quantity.h"

enum { MOST = 24, UNKNOWNS = 12 };

typedef struct pair {
    scene s;
    olo_chart *chart;
    double u[UNKNOWNS], q[MOST];
} pair;

/* A free body with a second one on a joint, at a configuration without symmetry. */
static void open_pair(pair *p, const char *type, const char *loads)
{
    char text[2000];
    olo_error error = {0};
    (void)snprintf(text, sizeof text,
                   "bodies:\n"
                   "  - {name: a, mass: 2, inertia: [0.3, 0.4, 0.2]}\n"
                   "  - {name: b, mass: 1, inertia: [0.2, 0.1, 0.3], position: [0.1, 0.4, -1]}\n"
                   "joints: {name: j, type: %s, between: [a, b], at: [0.2, 0.1, -0.4]}\n"
                   "loads:\n%s",
                   type, loads);
    *p = (pair){.s = scene_open(text, NULL)};
    const olo_system *s = p->s.system;
    check_true(s->n <= MOST && s->topology->unknowns <= UNKNOWNS);
    check_ok(olo_chart_create(s->topology, p->s.state->q, &p->chart, &error), &error);
    for (int i = 0; i < s->topology->unknowns; i++)
        p->u[i] = 0.3 * sin(3.0 * i + 1);
    memcpy(p->q, olo_chart_at(p->chart, p->u), (size_t)s->n * sizeof *p->q);
}

static void close_pair(pair *p)
{
    olo_chart_free(p->chart);
    scene_close(&p->s);
}

/* Adds the forces of an element with this input. */
static void add_forces(const pair *p, const char *owner, double input, double *f)
{
    const olo_system *s = p->s.system;
    const olo_evaluation how = {.midpoint = true, .at_start = true, .at_nodes = true};
    double inputs[16], dq[MOST] = {0}, r[OLO_FORM_SIZE_MAX];
    int index[OLO_FORM_SIZE_MAX];
    for (int i = 0; i < s->action_count; i++)
        inputs[i] = input;
    const olo_interval at = {.q0 = p->q,
                             .q1 = p->q,
                             .qm = p->q,
                             .dq = dq,
                             .h = 0.1,
                             .inputs = inputs,
                             .acting = OLO_ACT_AT_START};
    for (int i = 0; i < s->action_count; i++) {
        const int piece = olo_piece_of_action(s, i);
        if (strcmp(s->actions[i].owner, owner) != 0)
            continue;
        const int size = olo_piece_coordinates(s, piece, index);
        olo_piece_value(s, &how, piece, &at, r);
        for (int k = 0; k < size; k++)
            f[index[k]] += r[k];
    }
}

/* J^T f; the base is the first node and has six unknowns. */
static void reduce(const pair *p, const double *f, double *reduced)
{
    const olo_topology *topology = p->s.system->topology;
    (void)olo_chart_at(p->chart, p->u);
    olo_chart_reduce(p->chart, f, reduced);
    check_equal(6, topology->nodes[0].dof);
    for (int i = 0; i < 6; i++)
        check_below(fabs(reduced[topology->nodes[0].u + i]), 1e-14);
}

/* dx/du_i of a joint coordinate by differences. */
static double derivative_of(const pair *p, const char *coordinate, int i)
{
    const olo_system *s = p->s.system;
    const double h = 1e-3, at[4] = {-2, -1, 1, 2}, weight[4] = {1, -8, 8, -1}, none[3] = {0, 0, 0};
    olo_pool pool = {0};
    olo_quantity m;
    olo_error error = {0};
    double u[UNKNOWNS], sum = 0;
    check_ok(olo_quantity_find(s, coordinate, none, &pool, &m, &error), &error);
    memcpy(u, p->u, sizeof u);
    for (int k = 0; k < 4; k++) {
        u[i] = p->u[i] + h * at[k];
        const olo_quantity_at here = {.q = olo_chart_at(p->chart, u)};
        sum += weight[k] * olo_quantity_value(&m, &here, NULL, NULL) / (12 * h);
    }
    olo_pool_free(&pool);
    return sum;
}

/* The coordinates of lower pairs are those of the chart: then J^T f is a row of the table of the
 * sheet, F for its own coordinate and zero for the others, to round-off. */
static void check_coordinate(const char *type, const char *coordinate)
{
    char loads[200];
    pair p;
    double f[MOST] = {0}, reduced[UNKNOWNS];
    (void)snprintf(loads, sizeof loads, "  - {name: x, along: %s, magnitude: 2, time: 0}\n",
                   coordinate);
    open_pair(&p, type, loads);
    add_forces(&p, "x", 1.5, f);
    reduce(&p, f, reduced);
    double largest = 0;
    for (int i = 6; i < p.s.system->topology->unknowns; i++) {
        const double expected = 2 * 1.5 * derivative_of(&p, coordinate, i);
        largest = larger(largest, fabs(expected));
        check_close(expected, reduced[i], 1e-9);
        if (strncmp(type, "universal", strlen("universal")) != 0)
            check_close(3 * round(expected / 3), reduced[i], 1e-14);
    }
    check_true(largest > 1);
    close_pair(&p);
}

TEST(k4_forces_along_joint_coordinates_change_no_momentum)
{
    check_coordinate("revolute, axis: [0, 1, 2]", "j.angle");
    check_coordinate("prismatic, axis: [0, 1, 2]", "j.position");
    check_coordinate("cylindrical, axis: [0, 1, 2]", "j.angle");
    check_coordinate("cylindrical, axis: [0, 1, 2]", "j.position");
    check_coordinate("planar, axis: [0, 1, 2]", "j.angle");
    check_coordinate("planar, axis: [0, 1, 2]", "j.position1");
    check_coordinate("planar, axis: [0, 1, 2]", "j.position2");
    check_coordinate("universal, axis: [0, 1, 2], axis2: [1, 0, 0]", "j.angle1");
    check_coordinate("universal, axis: [0, 1, 2], axis2: [1, 0, 0]", "j.angle2");
}

/* A ball joint has three torques: moments along axes of space and their opposites. Their power is
 * that of the relative angular velocity. */
TEST(k4_torques_of_a_ball_joint_change_no_momentum)
{
    static const char *const axes[] = {"1, 0, 0", "0, 1, 0", "0, 0, 1"};
    for (int k = 0; k < 3; k++) {
        char loads[300];
        pair p;
        double f[MOST] = {0}, reduced[UNKNOWNS], v[MOST], unit[UNKNOWNS] = {0}, n[3] = {0};
        (void)snprintf(loads, sizeof loads,
                       "  - {name: x, on: b, moment: [%s], time: 0}\n"
                       "  - {name: y, on: a, moment: [%s], time: 0}\n",
                       axes[k], axes[k]);
        open_pair(&p, "spherical", loads);
        n[k] = 1;
        add_forces(&p, "x", 0.7, f);
        add_forces(&p, "y", -0.7, f);
        reduce(&p, f, reduced);
        olo_pool pool = {0};
        olo_quantity omega[2];
        olo_error error = {0};
        check_ok(olo_quantity_find(p.s.system, "a.angular_velocity", n, &pool, &omega[0], &error),
                 &error);
        check_ok(olo_quantity_find(p.s.system, "b.angular_velocity", n, &pool, &omega[1], &error),
                 &error);
        for (int i = 6; i < 9; i++) {
            unit[i] = 1;
            olo_chart_move(p.chart, unit, v);
            unit[i] = 0;
            const olo_quantity_at at = {.q = p.q, .v = v};
            check_close(0.7 * (olo_quantity_value(&omega[1], &at, NULL, NULL) -
                               olo_quantity_value(&omega[0], &at, NULL, NULL)),
                        reduced[i], 1e-14);
        }
        olo_pool_free(&pool);
        close_pair(&p);
    }
}

TEST_MAIN(cmocka_unit_test(k4_forces_along_joint_coordinates_change_no_momentum),
          cmocka_unit_test(k4_torques_of_a_ball_joint_change_no_momentum))
