/* The interval kernel: the discrete Euler-Lagrange equation of a pendulum, assembled from the
 * pieces of the system.
 *
 * A mass on a rod is advanced with the variational scheme. Three successive configurations must
 * then satisfy, with the impulse mu of the rod and its gradient d at the middle one,
 *
 *     R(q0, q1, q2) + mu d(q1) = 0,
 *     R = [M dq/h - h/2 dV](q0, q1) - [M dq/h + h/2 dV](q1, q2).
 *
 * The program evaluates R and checks this equation. It also compares the Jacobian dR/dq2, which a
 * transcription of an optimal control problem passes to its solver, with differences of R.
 *
 *     cc interval_kernel.c $(pkg-config --cflags --libs oloid) -lm -o interval_kernel
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "oloid/oloid.h"

enum { N = 3, NODES = 3 };
static const double step = 0.05;

/* A pendulum of length one metre, with a spring and a damper to a point of the ground. */
static const char text[] =
    "points: {name: bob, mass: 2, position: [1, 0, 0], velocity: [0, 0.5, 0]}\n"
    "rods: {name: rod, between: [[0, 0, 0], bob]}\n"
    "gravity: [0, 0, -9.81]\n"
    "springs: {name: coil, between: [[1, 1, 0], bob], stiffness: 30, length: 0.8}\n"
    "dampers: {name: oil, between: [[1, 1, 0], bob], damping: 0.7}\n"
    "run: {step: 0.05, end: 1, scheme: variational}\n";

/* Adds the pieces over one interval to R: masses times `mass`, forces times `force`. */
static void add_values(const olo_kernel *kernel, const olo_interval *x, double mass, double force,
                       double *R)
{
    for (int i = 0; i < olo_kernel_pieces(kernel); i++) {
        const olo_piece_kind kind = olo_kernel_piece_kind(kernel, i);
        const int *at = olo_kernel_piece_coordinates(kernel, i);
        double r[N];
        if (kind == OLO_PIECE_ROW)
            continue;
        olo_kernel_value(kernel, i, x, r);
        for (int k = 0; k < olo_kernel_piece_size(kernel, i); k++)
            R[at[k]] += (kind == OLO_PIECE_MASS ? mass : force) * r[k];
    }
}

/* Computes the residual R at the middle one of three configurations, without the constraint. */
static void residual(const olo_kernel *kernel, double q[NODES][N], double R[N])
{
    double work[2 * N];
    olo_interval x;
    memset(R, 0, N * sizeof *R);
    olo_interval_set(&x, N, q[0], q[1], step, 0.0, work);
    add_values(kernel, &x, 1 / step, -0.5 * step, R);
    olo_interval_set(&x, N, q[1], q[2], step, step, work);
    add_values(kernel, &x, -1 / step, -0.5 * step, R);
}

/* Computes J = dR/dq2, the derivatives with respect to the end of the second interval. */
static olo_status jacobian(const olo_kernel *kernel, double q[NODES][N], double J[N][N],
                           olo_error *error)
{
    double work[2 * N], K[N * N];
    olo_interval x;
    olo_status status = OLO_OK;
    memset(J, 0, N * N * sizeof(double));
    olo_interval_set(&x, N, q[1], q[2], step, step, work);
    for (int i = 0; i < olo_kernel_pieces(kernel) && status == OLO_OK; i++) {
        const olo_piece_kind kind = olo_kernel_piece_kind(kernel, i);
        const int *at = olo_kernel_piece_coordinates(kernel, i);
        const int size = olo_kernel_piece_size(kernel, i);
        if (kind == OLO_PIECE_ROW || !olo_kernel_depends(kernel, i, OLO_SLOT_Q1))
            continue; /* gravity, for one, is constant */
        status = olo_kernel_first(kernel, i, &x, OLO_SLOT_Q1, K, error);
        for (int k = 0; k < size; k++)
            for (int l = 0; l < size; l++)
                J[at[k]][at[l]] +=
                    (kind == OLO_PIECE_MASS ? -1 / step : -0.5 * step) * K[k * size + l];
    }
    return status;
}

/* Compares J with central differences of R; the error is relative to the largest entry of J. */
static double jacobian_error(const olo_kernel *kernel, double q[NODES][N], double J[N][N])
{
    const double d = 1e-5;
    double error = 0, largest = 0;
    for (int j = 0; j < N; j++) {
        double value = q[2][j], up[N], down[N];
        q[2][j] = value + d;
        residual(kernel, q, up);
        q[2][j] = value - d;
        residual(kernel, q, down);
        q[2][j] = value;
        for (int i = 0; i < N; i++) {
            error = fmax(error, fabs((up[i] - down[i]) / (2 * d) - J[i][j]));
            largest = fmax(largest, fabs(J[i][j]));
        }
    }
    return error / largest;
}

/* Computes the impulse mu of the rod and returns the largest entry of R + mu d. */
static double imbalance(const olo_kernel *kernel, double q[NODES][N], double *impulse)
{
    double work[2 * N], R[N], d[N], along = 0, square = 0, left = 0;
    olo_interval x;
    residual(kernel, q, R);
    olo_interval_set(&x, N, q[1], q[2], step, step, work);
    olo_kernel_value(kernel, olo_kernel_row_piece(kernel, 0), &x, d);
    for (int i = 0; i < N; i++) {
        along += d[i] * R[i];
        square += d[i] * d[i];
    }
    *impulse = -along / square;
    for (int i = 0; i < N; i++)
        left = fmax(left, fabs(R[i] + *impulse * d[i]));
    return left;
}

int main(void)
{
    olo_error error = {0};
    olo_model *model = NULL;
    olo_system *system = NULL;
    olo_stepper *stepper = NULL;
    olo_state *state = NULL;
    olo_kernel *kernel = NULL;
    double q[NODES][N], J[N][N], impulse = 0, left = NAN, off = NAN;

    olo_status status =
        olo_model_read_text(text, sizeof text - 1, "pendulum", NULL, 0, &model, &error);
    if (status == OLO_OK)
        status = olo_model_compile(model, &system, &error);
    if (status == OLO_OK)
        status = olo_system_create_initial_state(system, &state, NULL, &error);
    if (status == OLO_OK)
        status = olo_stepper_create(system, olo_model_run(model), &stepper, &error);
    for (int i = 0; i < NODES && status == OLO_OK; i++) {
        if (i > 0)
            status = olo_stepper_step(stepper, state, step, &error);
        memcpy(q[i], olo_state_configuration(state), sizeof q[i]);
    }
    if (status == OLO_OK)
        status = olo_kernel_create(system, "variational", &kernel, &error);
    if (status == OLO_OK)
        status = jacobian(kernel, q, J, &error);
    if (status == OLO_OK) {
        left = imbalance(kernel, q, &impulse);
        off = jacobian_error(kernel, q, J);
        printf("impulse of the rod %.6f, imbalance beside it %.1e, error of the Jacobian %.1e\n",
               impulse, left, off);
    } else {
        fprintf(stderr, "interval_kernel: %s\n", error.text);
    }
    olo_kernel_free(kernel);
    olo_stepper_free(stepper);
    olo_state_free(state);
    olo_system_free(system);
    olo_model_free(model);
    return status == OLO_OK && left < 1e-13 && off < 1e-8 ? 0 : 1;
}
