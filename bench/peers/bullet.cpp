/* The chain in Bullet (double precision): a btMultiBody with a fixed base (joint angles are the
 * unknowns, Featherstone's articulated body algorithm) in a btMultiBodyDynamicsWorld, stepped by
 *   world  stepSimulation with its own semi-implicit Euler method;
 *   rk4    the same with btMultiBody::useRK4Integration.
 * Damping, sleeping and the bound on joint rates, on by default, are off: they change the chain.
 * Nothing collides.
 */
#include <cstdio>
#include <cstring>
#include <memory>

#include <BulletDynamics/Featherstone/btMultiBody.h>
#include <BulletDynamics/Featherstone/btMultiBodyConstraintSolver.h>
#include <BulletDynamics/Featherstone/btMultiBodyDynamicsWorld.h>
#include <btBulletDynamicsCommon.h>

#include "peer.h"

namespace
{

struct Run {
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broadphase;
    btMultiBodyConstraintSolver solver;
    btMultiBodyDynamicsWorld world{&dispatcher, &broadphase, &solver, &configuration};
    std::unique_ptr<btMultiBody> body;
    btVector3 center, end; /* of a link, end as seen from the centre */
    double h = 0;
    long done = 0;

    ~Run()
    {
        if (body)
            world.removeMultiBody(body.get());
    }
};

void build(const chain &x, Run &run)
{
    const btVector3 inertia(x.inertia[0], x.inertia[1], x.inertia[2]);
    const double rate_bound = 1e9; /* rad/s: none */
    run.center = btVector3(x.center[0], x.center[1], x.center[2]);
    run.end = btVector3(x.length, 0, 0) - run.center;
    run.body = std::make_unique<btMultiBody>(x.links, 0, btVector3(0, 0, 0), true, false);
    for (int i = 0; i < x.links; i++) {
        double a[3];
        chain_axis(i, a);
        run.body->setupRevolute(i, x.mass, inertia, i - 1, btQuaternion::getIdentity(),
                                btVector3(a[0], a[1], a[2]), i > 0 ? run.end : btVector3(0, 0, 0),
                                run.center, true);
    }
    run.body->finalizeMultiDof();
    run.body->setLinearDamping(0);
    run.body->setAngularDamping(0);
    run.body->setCanSleep(false);
    run.body->setMaxCoordinateVelocity(rate_bound);
    run.body->setHasSelfCollision(false);
    for (int i = 0; i < x.links; i++) {
        run.body->setJointPos(i, x.angles[i]);
        run.body->setJointVel(i, x.rates[i]);
    }
    run.world.setGravity(btVector3(x.gravity[0], x.gravity[1], x.gravity[2]));
    run.world.addMultiBody(run.body.get());
}

void *start(const chain *x, const char *name, double setting, peer_error *error)
{
    const bool rk4 = std::strcmp(name, "rk4") == 0;
    if (!rk4 && std::strcmp(name, "world") != 0) {
        std::snprintf(error->text, sizeof error->text, "Bullet has no method '%s' here", name);
        return nullptr;
    }
    auto run = std::make_unique<Run>();
    run->h = setting;
    build(*x, *run);
    run->body->useRK4Integration(rk4);
    return run.release();
}

bool advance(void *run, double until, peer_error *)
{
    Run &x = *static_cast<Run *>(run);
    for (const long all = peer_steps_until(until, x.h); x.done < all; x.done++)
        x.world.stepSimulation(x.h, 0); /* one step of this size, no interpolation */
    return true;
}

void read(void *run, double *angles, double *rates, double tip[3], double *energy)
{
    Run &x = *static_cast<Run *>(run);
    const int n = x.body->getNumLinks();
    for (int i = 0; i < n; i++) {
        angles[i] = x.body->getJointPos(i);
        rates[i] = x.body->getJointVel(i);
    }
    const btVector3 end = x.body->localPosToWorld(n - 1, x.end);
    for (int k = 0; k < 3; k++)
        tip[k] = end[k];
    *energy = NAN; /* it has none */
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
    static char text[32];
    std::snprintf(text, sizeof text, "%d.%02d", btGetVersion() / 100, btGetVersion() % 100);
    return text;
}

} // namespace

const peer the_peer = {"bullet", version, start, advance, read, steps, finish, nullptr, nullptr};
