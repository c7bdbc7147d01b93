"""Oloid: structure-preserving simulation of multibody systems.

    import oloid
    result = oloid.run("six-body-linkage")
    print(result.verdict)
    result.plot()

`run` simulates a model and returns its result. `gradient` computes derivatives of a run, `load`
compiles a system that can be stepped by hand, `Model` describes a model in code with the keys of
model files, `open` reads a result file, `models` lists the catalogue. `equilibrium`, `equilibria`,
`modes` and `linearize` are statics and small vibrations, `optimize` is optimal control.
"""
from ._derivatives import Derivatives, Gradient, StepMap, goal, gradient
from ._errors import (ComputationError, DriftWarning, Error, FileError, InputError, Interrupted,
                      NotFoundError, OutOfMemory)
from ._feedback import Feedback, Sensitivity, feedback
from ._guard import BodyMotion
from ._library import version as library_version
from ._model import Model
from ._optimize import Certificate, Optimum, homotopy, optimize
from ._result import Result, Verdict, open
from ._run import resume, run
from ._statics import (Equilibrium, FoundEquilibrium, Linear, Modes, equilibria, equilibrium,
                       linearize, modes)
from ._system import Ledger, State, Stepper, System, load, models
from ._version import VERSION as __version__

__all__ = ["BodyMotion", "Certificate", "ComputationError", "Derivatives", "DriftWarning",
           "Equilibrium", "Error", "Feedback", "FileError", "FoundEquilibrium", "Gradient",
           "InputError", "Interrupted", "Ledger", "Linear", "Model", "Modes", "NotFoundError",
           "Optimum", "OutOfMemory", "Result", "Sensitivity", "State", "StepMap", "Stepper",
           "System", "Verdict", "equilibria", "equilibrium", "feedback", "goal", "gradient",
           "homotopy", "library_version", "linearize", "load", "models", "modes", "open",
           "optimize", "resume", "run", "__version__"]
