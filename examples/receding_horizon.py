"""A pole on a cart is pushed and comes to rest upright: every twentieth of a second the problem is
solved again from the present state, with the last plan, shifted, as initial guess. The cart of the
plan has no friction and a lighter pole than the one that moves."""
import oloid


def cart(pole, rate, **sections):
    model = oloid.Model("cart", gravity=[0, 0, -9.81], plane=[0, 1, 0], **sections)
    model.add_body(name="cart", mass=1, inertia=[1, 1, 1])
    model.add_body(name="pole", mass=pole, inertia=[0, 0, 0], position=[0, 0, 0.5])
    model.add_joint(name="hinge", between=["cart", "pole"], at=[0, 0, 0], axis=[0, 1, 0], rate=rate)
    model.add_joint(name="rail", type="prismatic", between=["ground", "cart"], axis=[1, 0, 0],
                    force=1, time=0)
    return oloid.load(model)


STEP, HORIZON = 0.05, 24
PROBLEM = {"duration": STEP * HORIZON, "intervals": HORIZON, "costs": {"type": "effort"},
           "controls": {"name": "rail", "lower": -20, "upper": 20}, "saddles": 0,
           "conditions": [{"quantity": "rail.position", "value": 0},
                          {"quantity": "hinge.angle", "value": 0}]}


def run(plans=80):
    """Returns the final angle and position, and seconds and iterations of all solutions."""
    system, plant = cart(0.3, 1), cart(0.36, 1)
    state, seen = plant.initial_state(), system.initial_state()
    stepper = plant.stepper(scheme="variational")
    plan, log = None, []
    for _ in range(plans):
        seen.time, seen.q, seen.v = state.time, state.q, state.v  # what is measured
        plan = oloid.optimize(system, initial=seen, start=plan, warm=plan is not None,
                              shift=0 if plan is None else STEP, **PROBLEM)
        log.append((plan.seconds, plan.iterations))
        for _ in range(5):
            stepper.step(state, STEP / 5, {"rail": plan.controls["rail"][0]})
    return state.q[0], state.q[12:14], log


if __name__ == "__main__":
    position, pole, log = run()
    again = sorted(seconds for seconds, _ in log[1:])
    print(f"the cart ends at {position:.2e}, the pole at {pole}")
    print(f"first solution {log[0][0]:.3f} s with {log[0][1]} iterations, again "
          f"{again[len(again) // 2]:.4f} s with "
          f"{sum(n for _, n in log[1:]) / len(again):.1f} iterations")
