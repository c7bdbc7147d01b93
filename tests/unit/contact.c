/* Rows of contacts: gradients, discrete gradients and their derivatives against differences, the
 * lift to velocities; other parameters; the guard of impacts; states in the middle of a contact. */
#include "scene.h"

#include "reference.h"
#include "stepping/step.h"
#include "system/condition.h"
#include "system/interval.h"
#include "system/row_lift.h"

/* A sphere with a patch on an inclined plane, two bodies at a distance, a sphere with a patch and a
 * point on a plane of a body, a rope, two spheres with friction, a sphere on one of the ground, a
 * point of a body on a sphere. */
static const char *const text =
    "parameters: {mu: 0.3, r: 0.2, e1: 0.4}\n"
    "bodies:\n"
    "  - {name: a, mass: 1, inertia: [0.1, 0.2, 0.15], position: [0.1, 0.2, 0.5]}\n"
    "  - {name: b, mass: 2, inertia: [0.1, 0.2, 0.15], position: [1.1, 0.1, 0.9]}\n"
    "contacts:\n"
    "  - {name: floor, point: {on: a, at: [0.1, -0.2, 0.3]}, radius: r, normal: [0.1, 0.2, 1], "
    "origin: [0, 0, -1], friction: mu, law: contensou, patch: 0.05, restitution: e1}\n"
    "  - {name: gap, type: distance, between: [{on: a, at: [0, 0.1, 0]}, {on: b, at: [0.2, 0, "
    "0]}], "
    "length: 0.3}\n"
    "  - {name: lid, point: {on: a, at: [0.3, 0, 0.1]}, on: b, normal: [1, -0.2, 0.3], origin: "
    "[0.1, "
    "0.2, 0], radius: r, friction: mu, law: contensou, patch: 0.07}\n"
    "  - {name: tray, point: {on: a, at: [0.1, 0.1, 0]}, on: b, normal: [0.3, 1, 0], origin: [0, "
    "-0.3, 0], friction: mu}\n"
    "  - {name: rope, type: rope, between: [[0, 0, 2], {on: b, at: [0, 0, 0.1]}], length: 2}\n"
    "  - {name: spheres, type: distance, between: [{on: a, at: [0.1, 0, 0.2]}, {on: b, at: [0, "
    "0.1, -0.2]}], radii: [r, 0.3], friction: mu}\n"
    "  - {name: dome, type: distance, between: [[0.3, 0.1, -0.2], {on: a, at: [0, 0.1, 0]}], "
    "radii: [0.4, r], friction: mu}\n"
    "  - {name: tip, type: distance, between: [b, {on: a, at: [0.2, 0.1, 0.1]}], radii: [0.4, 0], "
    "friction: mu}\n";

enum { N = 24, SIZE = 3 * OLO_CONTACT_SLOTS_MAX };

typedef struct sample {
    double q0[N], q1[N], qm[N], dq[N], v0[N], v1[N];
    olo_interval x;
} sample;

static void complete(sample *s)
{
    for (int i = 0; i < N; i++) {
        s->dq[i] = s->q1[i] - s->q0[i];
        s->qm[i] = 0.5 * (s->q0[i] + s->q1[i]);
    }
    s->x = (olo_interval){.q0 = s->q0, .q1 = s->q1, .qm = s->qm, .dq = s->dq, .h = 0.1};
}

/* Directors are not orthonormal: the rows are polynomials or functions of all coordinates. */
static void draw(const scene *s, uint64_t *seed, sample *x)
{
    for (int i = 0; i < N; i++) {
        x->q0[i] = olo_state_configuration(s->state)[i] + 0.1 * random_number(seed);
        x->q1[i] = x->q0[i] + 0.2 * random_number(seed);
        x->v0[i] = random_number(seed);
        x->v1[i] = random_number(seed);
    }
    complete(x);
}

static const olo_constraint *row_of(const scene *s, int number)
{
    for (int c = 0; c < s->system->contact_count; c++) {
        const olo_contact_point *contact = &s->system->contacts[c];
        if (number <= contact->sliding_count)
            return number == 0 ? &contact->gap : &contact->sliding[number - 1];
        number -= 1 + contact->sliding_count;
    }
    return NULL;
}

static double along(const olo_constraint *row, const double *d, const double *v)
{
    double sum = 0;
    for (int k = 0; k < row->size; k++)
        sum += d[k] * v[row->index[k]];
    return sum;
}

TEST(discrete_gradients_give_the_change_of_the_gap)
{
    scene s = scene_open(text, NULL);
    uint64_t seed = 1;
    for (int r = 0; row_of(&s, r); r++)
        for (int k = 0; k < 20; k++) {
            const olo_constraint *row = row_of(&s, r);
            sample x;
            double d[SIZE];
            draw(&s, &seed, &x);
            row->type->discrete(row, &x.x, d, NULL);
            const olo_at start = {.q = x.q0}, end = {.q = x.q1};
            if (!row->type->velocity)
                check_close(olo_constraint_value(row, &end) - olo_constraint_value(row, &start),
                            along(row, d, x.dq), 1e-14);
        }
    scene_close(&s);
}

/* d at q1 moved along coordinate j, in either direction. */
static void moved(const olo_constraint *row, const sample *x, int j, double step, bool start,
                  double *d)
{
    sample y = *x;
    *(start ? &y.q0[row->index[j]] : &y.q1[row->index[j]]) += step;
    complete(&y);
    row->type->discrete(row, &y.x, d, NULL);
}

TEST(derivatives_of_rows_are_differences)
{
    const double step = 1e-5;
    scene s = scene_open(text, NULL);
    uint64_t seed = 2;
    for (int r = 0; row_of(&s, r); r++) {
        const olo_constraint *row = row_of(&s, r);
        const int size = row->size;
        double K[2][SIZE * SIZE], d[SIZE], up[SIZE], down[SIZE];
        sample x;
        draw(&s, &seed, &x);
        row->type->start_tangent(row, &x.x, K[0]);
        row->type->discrete(row, &x.x, d, K[1]);
        for (int end = 0; end < 2; end++)
            for (int j = 0; j < size; j++) {
                moved(row, &x, j, step, end == 0, up);
                moved(row, &x, j, -step, end == 0, down);
                for (int i = 0; i < size; i++)
                    check_close((up[i] - down[i]) / (2 * step), K[end][i * size + j], 1e-9);
            }
        /* the Hessian: of the gap, or of f = W v with respect to q */
        double H[SIZE * SIZE], by[SIZE], value[2];
        const olo_at at = {.q = x.q0};
        row->type->hessian(row, &at, H);
        olo_rate_by_configuration(row, &at, x.v0, by);
        for (int j = 0; j < size; j++) {
            for (int side = 0; side < 2; side++) {
                sample y = x;
                y.q0[row->index[j]] += side == 0 ? step : -step;
                const olo_at there = {.q = y.q0};
                olo_constraint_gradient(row, &there, d);
                value[side] = along(row, d, x.v0);
            }
            check_close((value[0] - value[1]) / (2 * step), by[j], 1e-9);
        }
    }
    scene_close(&s);
}

/* Whether W is linear in q. */
static bool is_linear(const scene *s, const olo_constraint *row)
{
    for (int c = 0; c < s->system->contact_count; c++)
        for (int k = 0; k < s->system->contacts[c].sliding_count; k++)
            if (row == &s->system->contacts[c].sliding[k])
                return olo_contact_sliding_is_linear(&s->system->contacts[c]);
    return true;
}

/* f(q1, v1) - f(q0, v0) = a.dq + d.dv; and the derivatives of a are differences. */
TEST(the_lift_gives_the_change_of_the_rate)
{
    const double step = 1e-5;
    scene s = scene_open(text, NULL);
    uint64_t seed = 3;
    int others = 0;
    for (int r = 0; row_of(&s, r); r++) {
        const olo_constraint *row = row_of(&s, r);
        if (!is_linear(&s, row)) {
            others++;
            continue;
        }
        const int size = row->size;
        double a[SIZE], up[SIZE], down[SIZE], by_q1[SIZE * SIZE], by_v1[SIZE * SIZE], d[SIZE];
        double g0[SIZE], g1[SIZE], dv[N];
        sample x;
        draw(&s, &seed, &x);
        const olo_at start = {.q = x.q0}, end = {.q = x.q1};
        olo_row_lift(row, &x.x, x.v0, x.v1, a, by_q1, by_v1);
        row->type->discrete(row, &x.x, d, NULL);
        olo_constraint_gradient(row, &start, g0);
        olo_constraint_gradient(row, &end, g1);
        for (int i = 0; i < N; i++)
            dv[i] = x.v1[i] - x.v0[i];
        check_close(along(row, g1, x.v1) - along(row, g0, x.v0),
                    along(row, a, x.dq) + along(row, d, dv), 1e-13);
        for (int j = 0; j < size; j++) {
            sample y = x, z = x;
            y.q1[row->index[j]] += step;
            z.q1[row->index[j]] -= step;
            complete(&y);
            complete(&z);
            olo_row_lift(row, &y.x, x.v0, x.v1, up, NULL, NULL);
            olo_row_lift(row, &z.x, x.v0, x.v1, down, NULL, NULL);
            for (int i = 0; i < size; i++)
                check_close((up[i] - down[i]) / (2 * step), by_q1[i * size + j], 1e-8);
            y = z = x;
            y.v1[row->index[j]] += step;
            z.v1[row->index[j]] -= step;
            olo_row_lift(row, &x.x, x.v0, y.v1, up, NULL, NULL);
            olo_row_lift(row, &x.x, x.v0, z.v1, down, NULL, NULL);
            for (int i = 0; i < size; i++)
                check_close((up[i] - down[i]) / (2 * step), by_v1[i * size + j], 1e-8);
        }
    }
    check_equal(12, others); /* of the lid and of spheres */
    scene_close(&s);
}

static void cross(const double a[3], const double b[3], double c[3])
{
    for (int k = 0; k < 3; k++)
        c[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

/* The velocity of a rigid motion: shift + omega x q for positions, omega x q for directors. */
static void add_rigid(const double *q, int body, const double shift[3], const double omega[3],
                      double *v)
{
    for (int i = 0; i < 4; i++) {
        double turn[3];
        cross(omega, q + 12 * body + 3 * i, turn);
        for (int k = 0; k < 3; k++)
            v[12 * body + 3 * i + k] += turn[k] + (i == 0 ? shift[k] : 0);
    }
}

/* Rows between two bodies vanish for every rigid motion of both, also where directors are not
 * orthonormal: contact forces change neither momentum nor angular momentum. */
TEST(rows_between_bodies_are_invariant)
{
    scene s = scene_open(text, NULL);
    uint64_t seed = 5;
    static const int between[] = {1, 2, 3, 5, 7};
    for (int c = 0; c < 5; c++) {
        const olo_contact_point *contact = &s.system->contacts[between[c]];
        for (int r = 0; r <= contact->sliding_count; r++) {
            const olo_constraint *row = olo_contact_row(contact, r);
            double d[SIZE], v[N] = {0}, shift[3], omega[3];
            sample x;
            draw(&s, &seed, &x);
            for (int k = 0; k < 3; k++) {
                shift[k] = random_number(&seed);
                omega[k] = random_number(&seed);
            }
            add_rigid(x.q0, 0, shift, omega, v);
            add_rigid(x.q0, 1, shift, omega, v);
            olo_constraint_gradient(row, &(olo_at){.q = x.q0}, d);
            check_close(0, along(row, d, v), 1e-14);
        }
    }
    scene_close(&s);
}

/* On a moving plane the sliding velocity is the difference of the velocities of both bodies at the
 * touching point, x - r n, and the spin that of their angular velocities along n. */
TEST(sliding_velocities_are_relative_to_the_moving_plane)
{
    scene s = scene_open(text, NULL);
    const double *q = olo_state_configuration(s.state);
    const double omega[2][3] = {{0.3, -0.7, 1.1}, {-0.4, 0.2, 0.6}},
                 shift[2][3] = {{0.2, 0.5, -0.4}, {-0.1, 0.3, 0.7}};
    double v[N] = {0};
    for (int body = 0; body < 2; body++)
        add_rigid(q, body, shift[body], omega[body], v);
    for (int c = 2; c <= 3; c++) {
        const olo_contact_point *contact = &s.system->contacts[c];
        const double at[3] = {c == 2 ? 0.3 : 0.1, c == 2 ? 0 : 0.1, c == 2 ? 0.1 : 0};
        const double radius = c == 2 ? 0.2 : 0;
        double n[3], t[3], p[3], turn[2][3], d[SIZE];
        olo_contact_normal(contact, q, n);
        for (int k = 0; k < 3; k++) /* the bodies are not turned initially */
            p[k] = q[k] + at[k] - radius * n[k];
        for (int body = 0; body < 2; body++)
            cross(omega[body], p, turn[body]);
        for (int i = 0; i < 2; i++) {
            double slide = 0;
            olo_contact_tangent(contact, i, q, t);
            for (int k = 0; k < 3; k++)
                slide += t[k] * (shift[0][k] + turn[0][k] - shift[1][k] - turn[1][k]);
            olo_constraint_gradient(&contact->sliding[i], &(olo_at){.q = q}, d);
            check_close(slide, along(&contact->sliding[i], d, v), 1e-14);
            check_close(0, t[0] * n[0] + t[1] * n[1] + t[2] * n[2], 1e-15);
        }
        if (contact->sliding_count < 3)
            continue;
        double spin = 0;
        for (int k = 0; k < 3; k++)
            spin += 0.07 * n[k] * (omega[0][k] - omega[1][k]);
        olo_constraint_gradient(&contact->sliding[2], &(olo_at){.q = q}, d);
        check_close(spin, along(&contact->sliding[2], d, v), 1e-14);
    }
    scene_close(&s);
}

/* Between spheres that touch the sliding velocity is the difference of the velocities of both
 * bodies at the touching point, without its normal component. */
TEST(sliding_velocities_of_spheres_are_those_of_the_touching_points)
{
    scene s = scene_open(text, NULL);
    static const struct {
        int contact, body[2]; /* -1: the ground */
        double at[2][3], radius[2];
    } row[] = {{5, {0, 1}, {{0.1, 0, 0.2}, {0, 0.1, -0.2}}, {0.2, 0.3}},
               {6, {-1, 0}, {{0.3, 0.1, -0.2}, {0, 0.1, 0}}, {0.4, 0.2}},
               {7, {1, 0}, {{0, 0, 0}, {0.2, 0.1, 0.1}}, {0.4, 0}}};
    const double omega[2][3] = {{0.3, -0.7, 1.1}, {-0.4, 0.2, 0.6}},
                 shift[2][3] = {{0.2, 0.5, -0.4}, {-0.1, 0.3, 0.7}};
    for (int i = 0; i < 3; i++) {
        const olo_contact_point *contact = &s.system->contacts[row[i].contact];
        double q[N], v[N] = {0}, centre[2][3], n[3], p[3], slip[3], touching[3], d[SIZE];
        memcpy(q, olo_state_configuration(s.state), sizeof q);
        for (int k = 0; k < 2; k++)
            for (int j = 0; j < 3; j++)
                centre[k][j] =
                    row[i].at[k][j] + (row[i].body[k] < 0 ? 0 : q[12 * row[i].body[k] + j]);
        for (int j = 0; j < 3; j++)
            n[j] = centre[1][j] - centre[0][j];
        const double length = norm3(n), sum = row[i].radius[0] + row[i].radius[1];
        for (int j = 0; j < 3; j++) { /* the second body is moved until they touch */
            n[j] /= length;
            q[12 * row[i].body[1] + j] += (sum - length) * n[j];
            p[j] = centre[0][j] + row[i].radius[0] * n[j];
        }
        for (int body = 0; body < 2; body++)
            add_rigid(q, body, shift[body], omega[body], v);
        memset(slip, 0, sizeof slip);
        for (int k = 0; k < 2; k++) {
            double turn[3];
            if (row[i].body[k] < 0)
                continue;
            cross(omega[row[i].body[k]], p, turn);
            for (int j = 0; j < 3; j++)
                slip[j] += (k == 0 ? -1 : 1) * (shift[row[i].body[k]][j] + turn[j]);
        }
        const double normal = slip[0] * n[0] + slip[1] * n[1] + slip[2] * n[2];
        check_equal(3, contact->sliding_count);
        for (int j = 0; j < 3; j++) {
            olo_constraint_gradient(&contact->sliding[j], &(olo_at){.q = q}, d);
            check_close(slip[j] - normal * n[j], along(&contact->sliding[j], d, v), 1e-14);
        }
        olo_contact_touching_point(contact, q, touching);
        for (int j = 0; j < 3; j++)
            check_close(p[j], touching[j], 1e-15);
    }
    scene_close(&s);
}

/* The sliding velocity is that of the touching point, x' + omega x (-r n), and the spin n.omega. */
TEST(sliding_velocities_are_those_of_the_touching_point)
{
    scene s = scene_open(text, NULL);
    const olo_contact_point *floor = &s.system->contacts[0];
    const olo_contact_geometry *g = floor->geometry;
    const double omega[3] = {0.3, -0.7, 1.1}, shift[3] = {0.2, 0.5, -0.4},
                 *q = olo_state_configuration(s.state);
    double v[N] = {0}, x[3], touching[3], arm[3], turn[3];
    memcpy(v, shift, sizeof shift);
    for (int i = 1; i <= 3; i++)
        for (int k = 0; k < 3; k++)
            v[3 * i + k] = omega[(k + 1) % 3] * q[3 * i + (k + 2) % 3] -
                           omega[(k + 2) % 3] * q[3 * i + (k + 1) % 3];
    olo_position_linear(&g->x, v, x);
    for (int k = 0; k < 3; k++)
        arm[k] = -0.2 * g->normal[k];
    for (int k = 0; k < 3; k++)
        turn[k] = omega[(k + 1) % 3] * arm[(k + 2) % 3] - omega[(k + 2) % 3] * arm[(k + 1) % 3];
    const olo_at at = {.q = q};
    double d[SIZE];
    for (int k = 0; k < 3; k++)
        touching[k] = x[k] + turn[k];
    check_equal(3, floor->sliding_count);
    for (int i = 0; i < 2; i++) {
        const double *t = g->sliding[i].along;
        olo_constraint_gradient(&floor->sliding[i], &at, d);
        check_close(t[0] * touching[0] + t[1] * touching[1] + t[2] * touching[2],
                    along(&floor->sliding[i], d, v), 1e-14);
    }
    olo_constraint_gradient(&floor->sliding[2], &at, d);
    check_close(0.05 *
                    (g->normal[0] * omega[0] + g->normal[1] * omega[1] + g->normal[2] * omega[2]),
                along(&floor->sliding[2], d, v), 1e-14);
    scene_close(&s);
}

/* A compiled system with other parameters has the contacts of a model with these parameters. */
TEST(contacts_follow_parameters)
{
    olo_error error = {0};
    const olo_setting settings[] = {{"mu", "0.7"}, {"r", "0.25"}, {"e1", "0.9"}};
    scene s = scene_open(text, NULL), fresh = scene_open_set(text, NULL, settings, 3);
    static const char *const names[] = {"mu", "r", "e1"};
    const double values[] = {0.7, 0.25, 0.9};
    olo_system *other;
    check_ok(olo_system_with_parameters(s.model, s.system, 3, names, values, &other, &error),
             &error);
    for (int c = 0; c < s.system->contact_count; c++) {
        const olo_contact_point *a = &other->contacts[c], *b = &fresh.system->contacts[c];
        const olo_at at = {.q = olo_state_configuration(s.state)};
        check_text(b->name, a->name);
        check_close(b->friction, a->friction, 0);
        check_close(b->restitution, a->restitution, 0);
        check_close(olo_constraint_value(&b->gap, &at), olo_constraint_value(&a->gap, &at), 0);
        check_true(a->geometry != s.system->contacts[c].geometry);
    }
    olo_system_free(other);
    scene_close(&s);
    scene_close(&fresh);
}

/* C2: a mass that leaves a wall (e = 0) is hit by another one (e = 1). Without the guard energy
 * would rise by 2.1 J. */
TEST(the_guard_stops_a_rise_of_energy)
{
    static const char *const clutch =
        "points:\n"
        "  - {name: m1, mass: 2, position: [0, 0, 0], velocity: [1.5, 0, 0]}\n"
        "  - {name: m2, mass: 2, position: [1, 0, 0], velocity: [-0.7, 0, 0]}\n"
        "contacts:\n"
        "  - {point: m1, normal: [1, 0, 0]}\n"
        "  - {type: distance, between: [m1, m2], length: 1, restitution: 1}\n";
    scene s = scene_open(clutch, NULL);
    const double start = scene_ledger(&s).total;
    scene_run(&s, 0.001, 1);
    check_close(0.1220468728490, scene_v(&s, "m1")[0], 1e-12);
    check_close(1.6507890721797, scene_v(&s, "m2")[0], 1e-12);
    check_close(start, scene_ledger(&s).total, 1e-13);
    check_true(s.stepper->contact->report.guard < 1);
    for (int i = 0; i < 2; i++) {
        olo_contact_state contact;
        olo_system_contact(s.system, s.state, i, &contact);
        check_true(contact.guarded && contact.impulse > 0);
    }
    scene_close(&s);
}

/* A saved state continues to the same bits while contacts slide, stick and bounce. */
TEST(a_state_in_the_middle_of_a_contact_continues_to_the_same_bits)
{
    scene a = scene_open("rocking-block", NULL), b = scene_open("rocking-block", NULL);
    olo_error error = {0};
    for (int i = 0; i < 20; i++) {
        scene_run(&a, a.run.step, 17);
        const size_t size = olo_state_saved_size(a.state);
        void *block = malloc(size);
        olo_state_save(a.state, block);
        check_ok(olo_state_load(b.state, block, size, &error), &error);
        free(block);
        scene_run(&a, a.run.step, 8);
        scene_run(&b, b.run.step, 8);
        check_true(memcmp(a.state->q, b.state->q, 12 * sizeof(double)) == 0);
        check_true(memcmp(a.state->v, b.state->v, 12 * sizeof(double)) == 0);
    }
    scene_close(&a);
    scene_close(&b);
}

/* At rest the contact carries the weight; an impact has its impulse over the step. */
TEST(forces_of_contacts_are_reported)
{
    scene s = scene_open("gravity: [0, 0, -9.81]\n"
                         "points: {name: a, mass: 2, position: [0, 0, 0]}\n"
                         "contacts: {name: floor, point: a, friction: 0.5}\n",
                         NULL);
    olo_contact_state contact;
    scene_run(&s, 0.01, 3);
    olo_system_contact(s.system, s.state, 0, &contact);
    check_text("floor", olo_system_contact_name(s.system, 0));
    check_close(2 * 9.81, contact.force[2], 1e-12);
    check_close(0, contact.gap, 1e-16);
    check_true(contact.closed && contact.sticking && contact.frictional && !contact.guarded);
    check_close(2 * 9.81, contact.normal, 1e-12);
    check_close(0, contact.impulse, 0);
    check_close(0, contact.position[2], 1e-16);
    const double v[3] = {0, 0, -3};
    olo_state_set_velocity(s.state, v);
    scene_run(&s, 0.01, 1);
    olo_system_contact(s.system, s.state, 0, &contact);
    check_close(2 * 3 / 0.01 + 2 * 9.81, contact.force[2], 1e-10);
    check_close(9, scene_ledger(&s).impact, 1e-12);
    check_close(6, contact.impulse, 1e-13);
    check_close(6, scene_ledger(&s).impulse, 1e-13);
    check_below(scene_ledger(&s).inclusion_residual, 1e-12);
    scene_close(&s);
}

/* A sphere that spins on the spot: the torque mu N R of a patch about the normal, no force along
 * the plane; the touching point is below the centre. Moreau's rule has the same. */
TEST(friction_is_reported_as_force_and_torque)
{
    static const char *const schemes[] = {"contact", "moreau"};
    for (int k = 0; k < 2; k++) {
        const olo_setting scheme = {"run.scheme", schemes[k]};
        scene s = scene_open_set(
            "gravity: [0, 0, -10]\n"
            "bodies: {name: a, mass: 2, inertia: [1, 1, 1], position: [1, 2, 0.3], "
            "angular_velocity: [0, 0, 5]}\n"
            "contacts: {name: floor, point: a, radius: 0.3, friction: 0.5, law: contensou, "
            "patch: 0.1}\n",
            NULL, &scheme, 1);
        olo_contact_state contact;
        scene_run(&s, 0.01, 3);
        olo_system_contact(s.system, s.state, 0, &contact);
        check_close(20, contact.normal, 1e-11);
        check_close(0, contact.friction, 1e-12);
        check_close(-0.5 * 20 * 0.1, contact.torque, 1e-11);
        check_true(contact.closed && !contact.sticking);
        check_close(1, contact.position[0], 1e-14);
        check_close(2, contact.position[1], 1e-14);
        check_close(0, contact.position[2], 1e-14);
        scene_close(&s);
        /* a block that slides */
        s = scene_open_set("gravity: [0, 0, -10]\n"
                           "points: {name: a, mass: 2, position: [0, 0, 0], velocity: [3, 4, 0]}\n"
                           "contacts: {name: floor, point: a, friction: 0.5}\n",
                           NULL, &scheme, 1);
        scene_run(&s, 0.01, 3);
        olo_system_contact(s.system, s.state, 0, &contact);
        check_close(10, contact.friction, 1e-11);
        check_close(-6, contact.force[0], 1e-11);
        check_close(-8, contact.force[1], 1e-11);
        check_true(!contact.sticking);
        scene_run(&s, 0.01, 200);
        olo_system_contact(s.system, s.state, 0, &contact);
        check_true(contact.sticking);
        scene_close(&s);
    }
}

/* A contact problem without solution: a prescribed motion goes through the floor; it presses a
 * point against the floor. */
TEST(a_blocked_contact_is_an_error_that_names_it)
{
    static const char *const texts[] = {
        "bodies: {name: b, mass: 1, inertia: [1, 1, 1], position: [0, 0, 1]}\n"
        "joints: {type: prismatic, between: [ground, b], axis: [0, 0, 1], motion: 1 - t}\n"
        "contacts: {name: floor, point: b}\n",
        "bodies: {name: b, mass: 1, inertia: [1, 1, 1], position: [0, 0, 1]}\n"
        "points: {name: a, mass: 1, position: [0, 0, 0.5]}\n"
        "joints: {type: prismatic, between: [ground, b], axis: [0, 0, 1], motion: 1 - t}\n"
        "contacts:\n"
        "  - {name: floor, point: a}\n"
        "  - {name: lid, point: a, on: b, normal: [0, 0, -1]}\n"};
    static const char *const schemes[] = {"contact", "contact-captured"};
    for (int k = 0; k < 4; k++) {
        const olo_setting scheme = {"run.scheme", schemes[k % 2]};
        scene s = scene_open_set(texts[k / 2], NULL, &scheme, 1);
        olo_error error = {0};
        olo_status status = OLO_OK;
        for (int i = 0; status == OLO_OK && i < 200; i++)
            status = olo_stepper_step(s.stepper, s.state, 0.01, &error);
        check_equal(OLO_NOT_CONVERGED, status);
        check_contains("cannot separate", error.text);
        check_contains("the bodies of contact '", error.text);
        check_below(fabs(olo_state_time(s.state) - 1), 0.02);
        scene_close(&s);
    }
}

TEST(other_schemes_refuse_contacts_and_name_them)
{
    olo_model *model;
    olo_system *system;
    olo_stepper *stepper;
    olo_error error = {0};
    const olo_setting settings[] = {{"run.scheme", "energy-momentum-2006"}};
    check_ok(olo_model_read("bouncing-ball", settings, 1, &model, &error), &error);
    check_ok(olo_model_compile(model, &system, &error), &error);
    check_status(OLO_UNSUPPORTED,
                 olo_stepper_create(system, olo_model_run(model), &stepper, &error));
    check_contains("contacts[0]: the scheme energy-momentum-2006 has no contacts; take the ",
                   error.text);
    olo_system_free(system);
    olo_model_free(model);
}

/* Derivatives of runs name the scheme, whose choice is that of the contacts. */
TEST(derivatives_of_runs_refuse_contacts)
{
    olo_error error = {0};
    olo_derivatives *derivatives;
    scene s = scene_open("bouncing-ball", NULL);
    check_status(OLO_UNSUPPORTED, olo_derivatives_create(s.system, &s.run, &derivatives, &error));
    check_contains("derivatives of runs are not available with the scheme contact: impacts and "
                   "changes of contacts have no derivatives",
                   error.text);
    scene_close(&s);
}

/* An equilibrium without the floor would be wrong: contacts are not left out. */
TEST(equilibria_refuse_contacts_and_name_them)
{
    olo_error error = {0};
    scene s = scene_open("gravity: [0, 0, -9.81]\n"
                         "bodies: {name: a, mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}\n"
                         "joints: {name: j, between: [ground, a], at: [0, 0, 0], axis: [0, 1, 0], "
                         "upper: 0.5, stop_restitution: 0}\n",
                         NULL);
    const olo_equilibrium_options options = olo_equilibrium_options_default();
    check_status(OLO_UNSUPPORTED,
                 olo_find_equilibrium(s.system, &options, s.state, NULL, 0, NULL, &error));
    check_contains("test:3:9: joints: statics", error.text);
    check_contains("cannot handle contacts, rigid stops and dry friction", error.text);
    scene_close(&s);
}

TEST_MAIN(cmocka_unit_test(discrete_gradients_give_the_change_of_the_gap),
          cmocka_unit_test(derivatives_of_rows_are_differences),
          cmocka_unit_test(the_lift_gives_the_change_of_the_rate),
          cmocka_unit_test(sliding_velocities_are_those_of_the_touching_point),
          cmocka_unit_test(rows_between_bodies_are_invariant),
          cmocka_unit_test(sliding_velocities_are_relative_to_the_moving_plane),
          cmocka_unit_test(sliding_velocities_of_spheres_are_those_of_the_touching_points),
          cmocka_unit_test(contacts_follow_parameters),
          cmocka_unit_test(the_guard_stops_a_rise_of_energy),
          cmocka_unit_test(a_state_in_the_middle_of_a_contact_continues_to_the_same_bits),
          cmocka_unit_test(forces_of_contacts_are_reported),
          cmocka_unit_test(friction_is_reported_as_force_and_torque),
          cmocka_unit_test(a_blocked_contact_is_an_error_that_names_it),
          cmocka_unit_test(other_schemes_refuse_contacts_and_name_them),
          cmocka_unit_test(derivatives_of_runs_refuse_contacts),
          cmocka_unit_test(equilibria_refuse_contacts_and_name_them))
