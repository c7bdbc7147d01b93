/* The chain in Simbody: pin mobilizers (joint angles are the unknowns, forward dynamics in linear
 * time) and its own time integrators, with error control or, where the name ends in "-fixed", with
 * steps of one size.
 */
#include <Simbody.h>

#include <cstdio>
#include <cstring>
#include <memory>

#include "peer.h"

using namespace SimTK;

namespace
{

/* Makes an integrator of a kind; `fixed`: the setting is a step, not a tolerance. */
struct Method {
    const char *name;
    Integrator *(*make)(const System &system);
    bool fixed;
};

template <class Kind> Integrator *make(const System &system)
{
    return new Kind(system);
}

Integrator *make_adams(const System &system)
{
    return new CPodesIntegrator(system, CPodes::Adams, CPodes::Functional);
}

const Method methods[] = {
    {"merson", make<RungeKuttaMersonIntegrator>, false},
    {"merson-fixed", make<RungeKuttaMersonIntegrator>, true},
    {"feldberg", make<RungeKuttaFeldbergIntegrator>, false},
    {"rk3", make<RungeKutta3Integrator>, false},
    {"verlet", make<VerletIntegrator>, false},
    {"verlet-fixed", make<VerletIntegrator>, true},
    {"adams", make_adams, false},
};

struct Run {
    MultibodySystem system;
    SimbodyMatterSubsystem matter{system};
    GeneralForceSubsystem forces{system};
    std::unique_ptr<Integrator> integrator;
    double length = 0;
};

void build(const chain &x, Run &run)
{
    const Vec3 center(x.center[0], x.center[1], x.center[2]);
    const Inertia central(x.inertia[0], x.inertia[1], x.inertia[2]);
    const Body::Rigid link(
        MassProperties(x.mass, center, central.shiftFromMassCenter(-center, x.mass)));
    Force::Gravity(run.forces, run.matter, Vec3(x.gravity[0], x.gravity[1], x.gravity[2]));
    MobilizedBody before = run.matter.Ground();
    for (int i = 0; i < x.links; i++) {
        double axis[3];
        chain_axis(i, axis);
        /* a pin turns about the z axis of its frames */
        const Rotation along(UnitVec3(axis[0], axis[1], axis[2]), ZAxis);
        const Transform on_before(along, Vec3(i > 0 ? x.length : 0, 0, 0));
        before = MobilizedBody::Pin(before, on_before, link, Transform(along));
    }
    run.length = x.length;
}

void *start(const chain *x, const char *name, double setting, peer_error *error)
try {
    for (const Method &method : methods) {
        if (std::strcmp(method.name, name) != 0)
            continue;
        auto run = std::make_unique<Run>();
        build(*x, *run);
        State state = run->system.realizeTopology();
        for (int i = 0; i < x->links; i++) {
            state.updQ()[i] = x->angles[i];
            state.updU()[i] = x->rates[i];
        }
        run->integrator.reset(method.make(run->system));
        run->integrator->setAllowInterpolation(false);
        if (method.fixed)
            run->integrator->setFixedStepSize(setting);
        else
            run->integrator->setAccuracy(setting);
        run->integrator->initialize(state);
        return run.release();
    }
    std::snprintf(error->text, sizeof error->text, "Simbody has no method '%s' here", name);
    return nullptr;
} catch (const std::exception &thrown) {
    std::snprintf(error->text, sizeof error->text, "%s", thrown.what());
    return nullptr;
}

bool advance(void *run, double until, peer_error *error)
try {
    Integrator &integrator = *static_cast<Run *>(run)->integrator;
    while (integrator.getTime() < until)
        integrator.stepTo(until);
    return true;
} catch (const std::exception &thrown) {
    std::snprintf(error->text, sizeof error->text, "%s", thrown.what());
    return false;
}

void read(void *run, double *angles, double *rates, double tip[3], double *energy)
{
    const Run &x = *static_cast<Run *>(run);
    const State &state = x.integrator->getState();
    x.system.realize(state, Stage::Dynamics);
    for (int i = 0; i < state.getNQ(); i++) {
        angles[i] = state.getQ()[i];
        rates[i] = state.getU()[i];
    }
    const MobilizedBody &last = x.matter.getMobilizedBody(MobilizedBodyIndex(state.getNQ()));
    const Vec3 end = last.findStationLocationInGround(state, Vec3(x.length, 0, 0));
    for (int k = 0; k < 3; k++)
        tip[k] = end[k];
    *energy = x.system.calcEnergy(state);
}

long steps(void *run)
{
    return static_cast<Run *>(run)->integrator->getNumStepsTaken();
}

void finish(void *run)
{
    delete static_cast<Run *>(run);
}

const char *version()
{
    static char text[32];
    int major, minor, build;
    SimTK_version_simbody(&major, &minor, &build);
    std::snprintf(text, sizeof text, "%d.%d", major, minor);
    return text;
}

} // namespace

const peer the_peer = {"simbody", version, start, advance, read, steps, finish, nullptr, nullptr};
