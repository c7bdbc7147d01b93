/* Models with contacts in Siconos: Moreau and Jean's rule with theta = 1/2, method "moreau-jean".
 * Friction by projected Gauss-Seidel to a tolerance of 1e-12. */
#include <cstdio>
#include <cstring>
#include <exception>

#include <Friction_cst.h>
#include <SiconosKernel.hpp>
#include <SolverOptions.h>

#include "contact_peer.h"

namespace
{

const double g = 9.81;

/* The numbers of models/woodpecker.yaml. */
const double r_0 = 0.0025, r_M = 0.0031, h_M = 0.0058, l_M = 0.010, l_G = 0.015, h_S = 0.02,
             l_S = 0.0201, m_M = 0.0003, m_S = 0.0045, J_M = 5e-9, J_S = 7e-7, c = 0.0056, mu = 0.3;

struct Model {
    SP::LagrangianLinearTIDS body;
    SP::NonSmoothDynamicalSystem system;
    SP::OneStepNSProblem problem;
};

SP::SimpleMatrix matrix(unsigned rows, unsigned columns, const double *numbers)
{
    SP::SimpleMatrix A(new SimpleMatrix(rows, columns));
    for (unsigned i = 0; i < rows * columns; i++)
        A->setValue(i / columns, i % columns, numbers[i]);
    return A;
}

SP::SiconosVector vector(unsigned size, const double *numbers)
{
    SP::SiconosVector x(new SiconosVector(size));
    for (unsigned i = 0; i < size; i++)
        x->setValue(i, numbers[i]);
    return x;
}

void set_body(Model &x, unsigned n, const double *q, const double *v, const double *M,
              const double *K, const double *f, double end)
{
    SP::SimpleMatrix none(new SimpleMatrix(n, n));
    x.body.reset(new LagrangianLinearTIDS(vector(n, q), vector(n, v), matrix(n, n, M),
                                          matrix(n, n, K), none));
    x.body->setFExtPtr(vector(n, f));
    x.system.reset(new NonSmoothDynamicalSystem(0, end));
    x.system->insertDynamicalSystem(x.body);
}

Model bouncing_ball(double end)
{
    const double q = 1, v = 0, M = 1, K = 0, f = -g, H = 1;
    Model x;
    set_body(x, 1, &q, &v, &M, &K, &f, end);
    SP::NonSmoothLaw law(new NewtonImpactNSL(0.5));
    SP::Relation relation(new LagrangianLinearTIR(matrix(1, 1, &H)));
    x.system->link(SP::Interaction(new Interaction(law, relation)), x.body);
    x.problem.reset(new LCP());
    return x;
}

Model woodpecker(double end)
{
    const double q[] = {0, -0.1036, -0.2788}, v[] = {-0.3411, 0, -7.4583};
    const double M[] = {m_S + m_M,
                        m_S * l_M,
                        m_S * l_G,
                        m_S * l_M,
                        J_M + m_S * l_M * l_M,
                        m_S * l_M * l_G,
                        m_S * l_G,
                        m_S * l_M * l_G,
                        J_S + m_S * l_G * l_G};
    const double K[] = {0, 0, 0, 0, c, -c, 0, -c, c};
    const double f[] = {-g * M[0], -g * M[3], -g * M[6]};
    const double rows[3][6] = {
        {0, 0, -h_S, 1, l_M, l_G - l_S}, {0, h_M, 0, 1, r_M, 0}, {0, -h_M, 0, 1, r_M, 0}};
    const double constant[3][2] = {{l_M + l_G - l_S - r_0, 0}, {r_M - r_0, 0}, {r_M - r_0, 0}};
    const double restitution[3] = {0.5, 0, 0};
    Model x;
    set_body(x, 3, q, v, M, K, f, end);
    for (int k = 0; k < 3; k++) {
        SP::NonSmoothLaw law(new NewtonImpactFrictionNSL(restitution[k], 0., mu, 2));
        SP::Relation relation(
            new LagrangianLinearTIR(matrix(2, 3, rows[k]), vector(2, constant[k])));
        x.system->link(SP::Interaction(new Interaction(law, relation)), x.body);
    }
    x.problem.reset(new FrictionContact(2, SICONOS_FRICTION_2D_NSGS));
    x.problem->numericsSolverOptions()->dparam[SICONOS_DPARAM_TOL] = 1e-12;
    x.problem->numericsSolverOptions()->iparam[SICONOS_IPARAM_MAX_ITER] = 1000;
    return x;
}

} // namespace

extern "C" void contact_peer_run(const char *model, const char *method, double h, long steps,
                                 contact_outcome *outcome)
{
    if (std::strcmp(method, "moreau-jean") != 0) {
        std::snprintf(outcome->error, sizeof outcome->error, "no method '%s'", method);
        return;
    }
    try {
        const double end = h * (double)(steps + 10);
        Model x = std::strcmp(model, "woodpecker") == 0 ? woodpecker(end) : bouncing_ball(end);
        SP::TimeDiscretisation times(new TimeDiscretisation(0, h));
        SP::MoreauJeanOSI rule(new MoreauJeanOSI(0.5));
        SP::TimeStepping stepping(new TimeStepping(x.system, times, rule, x.problem));
        const double start = contact_peer_seconds();
        for (long i = 0; i < steps; i++) {
            stepping->computeOneStep();
            stepping->nextStep();
        }
        outcome->seconds = contact_peer_seconds() - start;
        outcome->count = (int)x.body->dimension();
        for (int i = 0; i < outcome->count; i++) {
            outcome->q[i] = x.body->q()->getValue((unsigned)i);
            outcome->v[i] = x.body->velocity()->getValue((unsigned)i);
        }
    } catch (const std::exception &problem) {
        std::snprintf(outcome->error, sizeof outcome->error, "%.500s", problem.what());
    } catch (...) {
        std::snprintf(outcome->error, sizeof outcome->error, "Siconos failed");
    }
}
