/* Mass, centre and inertia of bodies and shapes (K5 of the sheet thesis-methods), compared with
 * closed forms and independent numerical integration; relative coordinates of points; rods and
 * their errors. */
#include "scene.h"

#include "linalg/rotation.h"
#include "linalg/vec3.h"

/* The 4x4 mass of a body, [[m, m c^T], [m c, E]], E about the origin of the frame. */
static void mass_of(const scene *s, const char *body, double m[16])
{
    double x[64] = {0}, y[64];
    int q = olo_system_node_offset(s->system, olo_system_find_node(s->system, body));
    check_true(s->system->n <= 64);
    for (int i = 0; i < 4; i++) {
        x[q + 3 * i] = 1;
        olo_system_mass_times(s->system, x, y);
        x[q + 3 * i] = 0;
        for (int j = 0; j < 4; j++) {
            m[4 * i + j] = y[q + 3 * j];
            check_close(0, y[q + 3 * j + 1], 0); /* (x) I3 */
            check_close(0, y[q + 3 * j + 2], 0);
        }
    }
}

static void mass_of_text(const char *text, double m[16])
{
    scene s = scene_open(text, "reduced");
    mass_of(&s, "b", m);
    scene_close(&s);
}

/* Inertia about the centre of mass from the 4x4 mass. */
static void inertia_of(const double m[16], double J[9])
{
    double E[9], trace = 0;
    for (int i = 0; i < 9; i++) {
        E[i] = m[4 * (i / 3 + 1) + i % 3 + 1] - m[i / 3 + 1] * m[i % 3 + 1] / m[0];
        trace += i % 4 == 0 ? E[i] : 0;
    }
    for (int i = 0; i < 9; i++)
        J[i] = (i % 4 == 0 ? trace : 0) - E[i];
}

static void check_mass(const double expected[16], const double got[16], double tolerance)
{
    double size = 0;
    for (int i = 0; i < 16; i++)
        size = larger(size, fabs(expected[i]));
    for (int i = 0; i < 16; i++)
        check_close(expected[i], got[i], tolerance * size);
}

/* --- independent integration --- */

/* sum of density w (1, x)(1, x)^T over quadrature points that are exact for the quadratic integrand
 */
static void add_point(double w, const double x[3], double m[16])
{
    const double one[4] = {1, x[0], x[1], x[2]};
    for (int i = 0; i < 16; i++)
        m[i] += w * one[i / 4] * one[i % 4];
}

/* Gauss, five points on [0, 1] */
static const double node[5] = {0.046910077030668, 0.230765344947158, 0.5, 0.769234655052842,
                               0.953089922969332};
static const double weight[5] = {0.118463442528095, 0.239314335249683, 0.284444444444444,
                                 0.239314335249683, 0.118463442528095};
enum { TURN = 16 };

/* A solid of revolution about the third axis between z0 and z1 with radius r(z). */
static void revolve(double z0, double z1, double (*radius)(double z, double size), double size,
                    double density, double m[16])
{
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++)
            for (int k = 0; k < TURN; k++) {
                double z = z0 + (z1 - z0) * node[i], R = radius(z, size), r = R * node[j];
                double phi = 2 * M_PI * k / TURN, x[3] = {r * cos(phi), r * sin(phi), z};
                add_point(density * weight[i] * (z1 - z0) * weight[j] * R * r * 2 * M_PI / TURN, x,
                          m);
            }
}

static double ball(double z, double size)
{
    return sqrt(size * size - z * z);
}

static double straight(double z, double size)
{
    (void)z;
    return size;
}

static double pointed(double z, double size)
{
    return z * size;
}

static void brick(const double size[3], double density, double m[16])
{
    for (int i = 0; i < 125; i++) {
        int a[3] = {i / 25, i / 5 % 5, i % 5};
        double x[3], w = density;
        for (int k = 0; k < 3; k++) {
            x[k] = size[k] * (node[a[k]] - 0.5);
            w *= size[k] * weight[a[k]];
        }
        add_point(w, x, m);
    }
}

/* x = v0 + s (e1 + t (e2 - e1 + u (e3 - e2))): a cube folded onto the tetrahedron, volume factor
 * s^2 t */
static void fold(const double v[4][3], double density, double m[16])
{
    double e[9];
    for (int k = 0; k < 3; k++)
        vec3_subtract(v[k + 1], v[0], e + 3 * k);
    double det = fabs(mat3_det(e));
    for (int i = 0; i < 125; i++) {
        double s = node[i / 25], t = node[i / 5 % 5], u = node[i % 5], x[3];
        double w = weight[i / 25] * weight[i / 5 % 5] * weight[i % 5];
        for (int k = 0; k < 3; k++)
            x[k] = v[0][k] + s * (e[k] + t * (e[3 + k] - e[k] + u * (e[6 + k] - e[3 + k])));
        add_point(density * det * s * s * t * w, x, m);
    }
}

/* Adds m of a shape that is rotated by R and shifted. */
static void add_moved(const double from[16], const double R[9], const double shift[3],
                      double to[16])
{
    double A[16] = {1, 0, 0, 0, shift[0], 0, 0, 0, shift[1], 0, 0, 0, shift[2], 0, 0, 0}, B[16];
    for (int i = 0; i < 9; i++)
        A[4 * (i / 3 + 1) + i % 3 + 1] = R[i];
    for (int i = 0; i < 16; i++) {
        B[i] = 0;
        for (int k = 0; k < 4; k++)
            B[i] += A[4 * (i / 4) + k] * from[4 * k + i % 4];
    }
    for (int i = 0; i < 16; i++) {
        double sum = 0;
        for (int k = 0; k < 4; k++)
            sum += B[4 * (i / 4) + k] * A[4 * (i % 4) + k];
        to[i] += sum;
    }
}

TEST(k5_shapes_against_numerical_integration)
{
    const double size[3] = {0.2, 0.5, 0.9};
    const double corners[4][3] = {{0.1, 0.2, -0.3}, {1, 0.1, 0}, {0.2, 1.5, 0.1}, {0, -0.2, 0.7}};
    double expected[16] = {0}, got[16];
    revolve(-0.3, 0.3, ball, 0.3, 7800, expected);
    mass_of_text("bodies: {name: b, shapes: {type: sphere, radius: 0.3, density: 7800}}\n", got);
    check_mass(expected, got, 1e-13);

    memset(expected, 0, sizeof expected);
    brick(size, 700, expected);
    mass_of_text("bodies: {name: b, shapes: {type: box, size: [0.2, 0.5, 0.9], density: 700}}\n",
                 got);
    check_mass(expected, got, 1e-13);

    memset(expected, 0, sizeof expected);
    revolve(-0.6, 0.6, straight, 0.25, 900, expected);
    mass_of_text(
        "bodies: {name: b, shapes: {type: cylinder, radius: 0.25, height: 1.2, density: 900}}\n",
        got);
    check_mass(expected, got, 1e-13);

    memset(expected, 0, sizeof expected);
    revolve(0, 1.2, pointed, 0.3 / 1.2, 900, expected);
    mass_of_text(
        "bodies: {name: b, shapes: {type: cone, radius: 0.3, height: 1.2, density: 900}}\n", got);
    check_mass(expected, got, 1e-13);

    memset(expected, 0, sizeof expected);
    fold(corners, 1200, expected);
    mass_of_text("bodies: {name: b, shapes: {type: tetrahedron, density: 1200, vertices: [[0.1, "
                 "0.2, -0.3], [1, 0.1, 0], [0.2, 1.5, 0.1], [0, -0.2, 0.7]]}}\n",
                 got);
    check_mass(expected, got, 1e-13);
    /* the order of the corners, and with it their handedness, does not matter */
    mass_of_text("bodies: {name: b, shapes: {type: tetrahedron, density: 1200, vertices: [[1, 0.1, "
                 "0], [0.1, 0.2, -0.3], [0.2, 1.5, 0.1], [0, -0.2, 0.7]]}}\n",
                 got);
    check_mass(expected, got, 1e-13);
}

TEST(k5_shape_by_mass_equals_shape_by_density)
{
    double a[16], b[16];
    mass_of_text("parameters: {r: 0.3}\nbodies: {name: b, shapes: {type: sphere, radius: r, "
                 "density: 7800}}\n",
                 a);
    mass_of_text("parameters: {r: 0.3}\nbodies: {name: b, shapes: {type: sphere, radius: r, mass: "
                 "4/3*pi*r^3*7800}}\n",
                 b);
    check_mass(a, b, 1e-15);
}

TEST(k5_composites_holes_and_turned_shapes)
{
    const double none[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, size[3] = {1, 0.6, 0.4};
    double axis[3] = {1, 2, -1}, R[9], part[16], expected[16] = {0}, got[16];
    const double at[3] = {0.1, -0.2, 0.3}, hole[3] = {0.2, 0.1, 0}, lump[3] = {1, 1, 1};
    vec3_normalise(axis);
    for (int i = 0; i < 3; i++)
        axis[i] *= 0.8;
    rotation_exponential(axis, R);
    /* a rotated box, a hole along z, a rotated cone, and a mass given by numbers */
    memset(part, 0, sizeof part);
    brick(size, 1000, part);
    add_moved(part, R, at, expected);
    memset(part, 0, sizeof part);
    revolve(-0.1, 0.1, straight, 0.05, -1000, part);
    add_moved(part, none, hole, expected);
    memset(part, 0, sizeof part);
    revolve(0, 0.5, pointed, 0.4, 3000, part);
    add_moved(part, R, hole, expected);
    /* mass 5, J = diag(1, 2, 2.5) about (1, 1, 1): E = tr(J)/2 - J */
    memset(part, 0, sizeof part);
    part[0] = 5;
    part[5] = 1.75;
    part[10] = 0.75;
    part[15] = 0.25;
    add_moved(part, none, lump, expected);
    mass_of_text("bodies:\n"
                 "  name: b\n"
                 "  mass: 5\n"
                 "  center: [1, 1, 1]\n"
                 "  inertia: [1, 2, 2.5]\n"
                 "  shapes:\n"
                 "    - {type: box, size: [1, 0.6, 0.4], density: 1000, position: [0.1, -0.2, "
                 "0.3], rotation: {axis: [1, 2, -1], angle: 0.8}}\n"
                 "    - {type: cylinder, radius: 0.05, height: 0.2, density: -1000, position: "
                 "[0.2, 0.1, 0]}\n"
                 "    - {type: cone, radius: 0.2, height: 0.5, density: 3000, position: [0.2, 0.1, "
                 "0], rotation: {axis: [1, 2, -1], angle: 0.8}}\n",
                 got);
    check_mass(expected, got, 1e-13);
}

TEST(k5_cone_numbers_of_the_thesis)
{
    double m[16], J[9];
    mass_of_text("bodies: {name: b, shapes: {type: cone, radius: 0.05, height: 0.1, density: 2700, "
                 "position: [0, 0, -0.075]}}\n",
                 m);
    check_relative(0.706858347058, m[0], 1e-12);
    for (int i = 1; i < 4; i++) {
        check_close(0, m[i], 1e-17);
        check_relative(2.65071880147e-4, m[5 * i], 1e-11);
    }
    inertia_of(m, J);
    for (int i = 0; i < 3; i++)
        check_relative(5.30143760293e-4, J[4 * i], 1e-11);
    /* about the apex: M1 = J1 + M L^2 */
    mass_of_text("bodies: {name: b, shapes: {type: cone, radius: 0.05, height: 0.1, density: "
                 "2700}}\n",
                 m);
    check_relative(4.50622196249e-3, m[5] + m[15], 1e-11);
    check_relative(0.075, m[3] / m[0], 1e-15);
}

TEST(k5_euler_tensor_and_inertia_are_each_others_inverse)
{
    double m[16], J[9];
    const double given[9] = {3, 0.1, 0.2, 0.1, 4, -0.3, 0.2, -0.3, 5};
    mass_of_text("bodies: {name: b, mass: 2, center: [1, -2, 3], inertia: [3, 4, 5, 0.1, 0.2, "
                 "-0.3]}\n",
                 m);
    inertia_of(m, J);
    for (int i = 0; i < 9; i++)
        check_close(given[i], J[i], 2e-14);
    const double c[3] = {1, -2, 3};
    for (int i = 0; i < 3; i++) {
        check_close(2 * c[i], m[i + 1], 1e-15);
        for (int j = 0; j < 3; j++)
            check_close((i == j ? 6 : 0) - given[3 * i + j] + 2 * c[i] * c[j],
                        m[4 * (i + 1) + j + 1], 1e-14);
    }
}

TEST(k5_reduced_mass_is_mass_and_inertia)
{
    /* P_int^T M P_int = diag(m I, J) with the origin at the centre, and with Steiner's terms
     * elsewhere */
    const double J[9] = {3, 0.1, 0.2, 0.1, 4, -0.3, 0.2, -0.3, 5};
    for (int k = 0; k < 2; k++) {
        scene s = scene_open(k ? "bodies: {name: b, mass: 2, center: [0.5, -0.2, 0.3], inertia: "
                                 "[3, 4, 5, 0.1, 0.2, -0.3], rotation: {axis: [3, 1, 2], angle: "
                                 "1.1}}\n"
                               : "bodies: {name: b, mass: 2, inertia: [3, 4, 5, 0.1, 0.2, -0.3], "
                                 "rotation: {axis: [3, 1, 2], angle: 1.1}}\n",
                             "reduced");
        const double *q = scene_q(&s, "b");
        double R[9], RJ[9], space[9], RT[9], center[3] = {0, 0, 0}, P[6][12] = {{0}}, MP[12];
        for (int i = 0; i < 9; i++) {
            RT[i] = q[3 + i];
            R[3 * (i % 3) + i / 3] = q[3 + i];
        }
        mat3_product(R, J, RJ);
        mat3_product(RJ, RT, space);
        const double at[3] = {0.5, -0.2, 0.3};
        for (int i = 0; k && i < 3; i++)
            vec3_add(at[i], q + 3 + 3 * i, center);
        for (int i = 0; i < 3; i++) {
            double e[3] = {i == 0, i == 1, i == 2};
            P[i][i] = 1;
            for (int I = 3; I < 12; I += 3)
                vec3_cross(e, q + I, P[3 + i] + I);
        }
        for (int i = 0; i < 6; i++) {
            olo_system_mass_times(s.system, P[i], MP);
            for (int j = 0; j < 6; j++) {
                double got = 0, expected = 0, e[3], turn[3];
                for (int l = 0; l < 12; l++)
                    got += P[j][l] * MP[l];
                if (i < 3 && j < 3)
                    expected = i == j ? 2 : 0;
                else if (i >= 3 && j >= 3)
                    expected =
                        space[3 * (i - 3) + j - 3] + 2 * ((i == j ? vec3_dot(center, center) : 0) -
                                                          center[i - 3] * center[j - 3]);
                else {
                    /* m e_trans . (e_rot x center) */
                    int rot = i < 3 ? j - 3 : i - 3, trans = i < 3 ? i : j;
                    vec3_set(rot == 0, rot == 1, rot == 2, e);
                    vec3_cross(e, center, turn);
                    expected = 2 * turn[trans];
                }
                check_close(expected, got, 1e-14);
            }
        }
        scene_close(&s);
    }
}

TEST(k5_singular_euler_tensors_are_bodies)
{
    static const char *const texts[] = {
        /* a thin rod on a hinge normal to it, a thin plate, the top of Bruels */
        "bodies: {name: b, mass: 1, inertia: [1, 1, 0], angular_velocity: [1, 0, 0]}\n"
        "supports: {on: {on: b, at: [0, 0, 1]}, type: hinge, axis: [1, 0, 0]}\n",
        "bodies: {name: b, mass: 1, inertia: [1, 2, 3], angular_velocity: [1, 2, 3]}\n",
        "bodies: {name: b, mass: 15, inertia: [0.234375, 0.46875, 0.234375], angular_velocity: "
        "[0, 150, -4.61538]}\n",
        /* singular in axes that are not those of the frame */
        "bodies: {name: b, mass: 1, inertia: [1, 1, 1, 0.25, 0.25, 0.25], angular_velocity: [1, 2, "
        "-3]}\n",
    };
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        for (int j = 0; j < 2; j++) {
            scene s = scene_open(texts[k], j ? "reduced" : "multipliers");
            check_below(scene_drift(&s, 0.01, 100), 1e-12);
            check_below(scene_ledger(&s).constraint_error, 1e-14);
            scene_close(&s);
        }
    }
}

static void check_refused(const char *text, const char *key, const char *words)
{
    olo_model *model = NULL;
    olo_system *system = NULL;
    olo_error error = {0};
    olo_status status = olo_model_read_text(text, strlen(text), "test", NULL, 0, &model, &error);
    if (status == OLO_OK)
        status = olo_model_compile(model, &system, &error);
    check_status(OLO_BAD_INPUT, status);
    check_contains(key, error.text);
    check_contains(words, error.text);
    olo_model_free(model);
}

TEST(k5_negative_eigenvalues_are_refused)
{
    check_refused("bodies: {name: b, mass: 1, inertia: [1, 1, 2.1]}\n", "bodies.inertia",
                  "largest exceeds the sum");
    check_refused("bodies: {name: b, mass: 1, inertia: [-1, 1, 1]}\n", "bodies.inertia",
                  "no body has these");
    /* positive diagonal, but the principal moments are not */
    check_refused("bodies: {name: b, mass: 1, inertia: [1, 1, 1, 0.9, 0, 0]}\n", "bodies.inertia",
                  "no body has these");
    check_refused("bodies: {name: b, mass: 1, inertia: [1, 1, 1, 5, 0, 0]}\n", "bodies.inertia",
                  "no body has these");
    /* a hole larger than the body around it */
    check_refused("bodies: {name: b, shapes: [{type: sphere, radius: 1, density: 1}, {type: "
                  "cylinder, radius: 0.1, height: 20, density: -1}]}\n",
                  "bodies.shapes", "no body has these");
    check_refused("bodies: {name: b, shapes: [{type: sphere, radius: 1, density: 1}, {type: "
                  "sphere, radius: 1.1, density: -1}]}\n",
                  "bodies", "mass must be positive");
    check_refused("bodies: {name: b, mass: -1, inertia: [1, 1, 1]}\n", "bodies.mass", "negative");
    check_refused("bodies: {name: b, inertia: [1, 1, 1]}\n", "bodies", "mass must be positive");
    check_refused("points: {name: a, mass: 0, position: [0, 0, 0]}\n", "points.mass", "positive");
    check_refused("points: {name: a, mass: 1, position: [0, 0, 0]}\nrods: {between: [a, [0, 0, "
                  "0]]}\n",
                  "rods", "positive");
}

/* A point mass adds m c c^T anywhere on the body: rounding must not give it moments of inertia. */
TEST(point_masses_anywhere_on_a_body)
{
    unsigned long long seed = 3;
    for (int n = 0; n < 50; n++) {
        char text[400];
        double m[16], c[3], mass = 0.5 + 0.4 * scene_random(&seed);
        for (int i = 0; i < 3; i++)
            c[i] = n < 5 ? (i == 0 ? 0.2 : 0.0) : scene_random(&seed);
        mass = n == 0 ? 0.8 : mass;
        snprintf(text, sizeof text,
                 "bodies: {name: b, mass: 1, inertia: [1, 1, 1]}\n"
                 "masses: {on: {on: b, at: [%.17g, %.17g, %.17g]}, mass: %.17g}\n",
                 c[0], c[1], c[2], mass);
        mass_of_text(text, m);
        check_close(1 + mass, m[0], 1e-15);
        for (int i = 0; i < 9; i++)
            check_close((i % 4 == 0 ? 0.5 : 0) + mass * c[i / 3] * c[i % 3],
                        m[4 * (i / 3 + 1) + i % 3 + 1], 1e-15);
    }
}

TEST(relative_coordinates_have_the_mass_matrix_of_the_thesis)
{
    scene s = scene_open("double-spherical-pendulum", "reduced");
    double x[6] = {0}, y[6];
    const double expected[2][2] = {{15, 5}, {5, 5}};
    for (int i = 0; i < 2; i++) {
        x[3 * i] = 1;
        olo_system_mass_times(s.system, x, y);
        x[3 * i] = 0;
        for (int j = 0; j < 2; j++)
            check_close(expected[i][j], y[3 * j], 0);
    }
    double position[3], velocity[3];
    olo_error error = {0};
    const olo_point_on_body second = {.on = "second"};
    check_ok(olo_system_point_on_body(s.system, s.state, &second, position, velocity, &error),
             &error);
    check_close(2, position[0], 0);
    check_close(-5, velocity[1], 0);
    /* potential and momenta are those of the masses in space */
    check_close(-45 - 25 + 25, scene_ledger(&s).linear_momentum[1], 1e-14);
    check_close(-10 * 2 - 5 * 5 * 2, scene_ledger(&s).angular_momentum[2], 1e-14);
    scene_close(&s);
}

TEST_MAIN(cmocka_unit_test(point_masses_anywhere_on_a_body),
          cmocka_unit_test(k5_shapes_against_numerical_integration),
          cmocka_unit_test(k5_shape_by_mass_equals_shape_by_density),
          cmocka_unit_test(k5_composites_holes_and_turned_shapes),
          cmocka_unit_test(k5_cone_numbers_of_the_thesis),
          cmocka_unit_test(k5_euler_tensor_and_inertia_are_each_others_inverse),
          cmocka_unit_test(k5_reduced_mass_is_mass_and_inertia),
          cmocka_unit_test(k5_singular_euler_tensors_are_bodies),
          cmocka_unit_test(k5_negative_eigenvalues_are_refused),
          cmocka_unit_test(relative_coordinates_have_the_mass_matrix_of_the_thesis))
