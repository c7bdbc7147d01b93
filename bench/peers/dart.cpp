/* The chain in DART: revolute joints (joint angles are the unknowns, articulated body algorithm),
 * stepped by
 *   world  simulation::World::step, semi-implicit Euler with DART's constraint solver, which has
 *          nothing to do here;
 *   rk4    the classical Runge-Kutta method written here over Skeleton::computeForwardDynamics.
 */
#include <cstdio>
#include <cstring>
#include <memory>

#include <dart/config.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <dart/simulation/World.hpp>

#include "peer.h"

using namespace dart;

namespace
{

struct Run {
    simulation::WorldPtr world = simulation::World::create();
    dynamics::SkeletonPtr skeleton = dynamics::Skeleton::create("chain");
    void (*step)(Run &run) = nullptr;
    double h = 0, length = 0;
    long done = 0;
    Eigen::VectorXd q, v, dq[4], dv[4]; /* of Runge and Kutta */
};

void step_world(Run &run)
{
    run.world->step();
}

void step_rk4(Run &run)
{
    const double part[4] = {0, 0.5, 0.5, 1};
    dynamics::Skeleton &skeleton = *run.skeleton;
    run.q = skeleton.getPositions();
    run.v = skeleton.getVelocities();
    for (int i = 0; i < 4; i++) {
        if (i > 0) {
            skeleton.setPositions(run.q + part[i] * run.h * run.dq[i - 1]);
            skeleton.setVelocities(run.v + part[i] * run.h * run.dv[i - 1]);
        }
        skeleton.computeForwardDynamics();
        run.dq[i] = skeleton.getVelocities();
        run.dv[i] = skeleton.getAccelerations();
    }
    skeleton.setPositions(run.q +
                          run.h / 6 * (run.dq[0] + 2 * run.dq[1] + 2 * run.dq[2] + run.dq[3]));
    skeleton.setVelocities(run.v +
                           run.h / 6 * (run.dv[0] + 2 * run.dv[1] + 2 * run.dv[2] + run.dv[3]));
}

const struct {
    const char *name;
    void (*step)(Run &run);
} methods[] = {{"world", step_world}, {"rk4", step_rk4}};

void build(const chain &x, Run &run)
{
    const Eigen::Vector3d center(x.center[0], x.center[1], x.center[2]);
    const Eigen::Vector3d principal(x.inertia[0], x.inertia[1], x.inertia[2]);
    dynamics::BodyNode *before = nullptr;
    for (int i = 0; i < x.links; i++) {
        dynamics::RevoluteJoint::Properties hinge;
        dynamics::BodyNode::Properties link;
        chain_axis(i, hinge.mAxis.data());
        hinge.mName = "hinge" + std::to_string(i);
        link.mName = "link" + std::to_string(i);
        if (before)
            hinge.mT_ParentBodyToJoint.translation() = Eigen::Vector3d(x.length, 0, 0);
        link.mInertia = dynamics::Inertia(x.mass, center, principal.asDiagonal());
        before =
            run.skeleton->createJointAndBodyNodePair<dynamics::RevoluteJoint>(before, hinge, link)
                .second;
        run.skeleton->setPosition(i, x.angles[i]);
        run.skeleton->setVelocity(i, x.rates[i]);
    }
    run.world->setGravity(Eigen::Vector3d(x.gravity[0], x.gravity[1], x.gravity[2]));
    run.world->setTimeStep(run.h);
    run.world->addSkeleton(run.skeleton);
    run.length = x.length;
}

void *start(const chain *x, const char *name, double setting, peer_error *error)
{
    auto run = std::make_unique<Run>();
    for (const auto &method : methods)
        if (std::strcmp(method.name, name) == 0)
            run->step = method.step;
    if (!run->step) {
        std::snprintf(error->text, sizeof error->text, "DART has no method '%s' here", name);
        return nullptr;
    }
    run->h = setting;
    build(*x, *run);
    return run.release();
}

bool advance(void *run, double until, peer_error *)
{
    Run &x = *static_cast<Run *>(run);
    for (const long all = peer_steps_until(until, x.h); x.done < all; x.done++)
        x.step(x);
    return true;
}

void read(void *run, double *angles, double *rates, double tip[3], double *energy)
{
    Run &x = *static_cast<Run *>(run);
    const std::size_t n = x.skeleton->getNumDofs();
    for (std::size_t i = 0; i < n; i++) {
        angles[i] = x.skeleton->getPosition(i);
        rates[i] = x.skeleton->getVelocity(i);
    }
    const Eigen::Vector3d end =
        x.skeleton->getBodyNode(n - 1)->getWorldTransform() * Eigen::Vector3d(x.length, 0, 0);
    for (int k = 0; k < 3; k++)
        tip[k] = end[k];
    /* its potential energy takes the origins of the links for their centres of mass */
    *energy = NAN;
}

long steps(void *run)
{
    return static_cast<Run *>(run)->done;
}

void finish(void *run)
{
    delete static_cast<Run *>(run);
}

const char *version()
{
    return DART_VERSION;
}

} // namespace

const peer the_peer = {"dart", version, start, advance, read, steps, finish, nullptr, nullptr};
