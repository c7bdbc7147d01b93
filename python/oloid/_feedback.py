"""Feedback along an optimum, and its sensitivity to parameters."""
import os
from collections import namedtuple

import numpy

from ._errors import call, create
from ._library import encode, ffi, filled, lib, text

Sensitivity = namedtuple("Sensitivity", ["cost", "duration", "controls", "q"])
Sensitivity.__doc__ = """Derivatives of an optimum with respect to a parameter of the model: of its cost
and duration, of the controls {name: array over intervals}, and of the configurations, an array
(nodes, coordinates)."""


class Feedback:
    """Gains that lead a disturbed motion back to an optimum (oloid/feedback.h).

    names   of the inputs
    gains   an array (intervals, inputs, 2 n): of displacements, then of velocities
    system  the System to which they belong"""

    def __init__(self, system, feedback):
        self.system, self._feedback = system, feedback
        intervals = lib.olo_feedback_intervals(feedback)
        inputs = range(lib.olo_feedback_input_count(feedback))
        self.names = [text(lib.olo_feedback_input_name(feedback, i)) for i in inputs]
        width = 2 * system.coordinates
        self.gains = numpy.array(
            [[numpy.frombuffer(ffi.buffer(lib.olo_feedback_gains(feedback, k, i), 8 * width))
              for i in inputs] for k in range(intervals)])

    def controls(self, state):
        """The inputs of a step that starts at this state: stepper.step(state, h, controls)."""
        return {name: lib.olo_feedback_input(self._feedback, i, state._state)
                for i, name in enumerate(self.names)}

    def write_csv(self, path):
        """Writes the gains as CSV."""
        call(lib.olo_feedback_write_csv, self._feedback, self.system._system,
             encode(os.fspath(path)))


def feedback(path, system):
    """The gains in the result of an optimum, for a System with the same bodies."""
    return Feedback(system, create("olo_feedback", lib.olo_feedback_read, lib.olo_feedback_free,
                                   encode(os.fspath(path)), system._system))


def make_feedback(optimum, weights):
    given = filled("problem_feedback")
    for name, value in weights.items():
        setattr(given, name, value)
    return Feedback(optimum.system,
                    create("olo_feedback", lib.olo_feedback_create, lib.olo_feedback_free,
                           optimum._optimum, given))


def make_sensitivity(optimum, parameter):
    model, problem = optimum.system._model, optimum._given[0].struct
    found = create("olo_sensitivity", lib.olo_sensitivity_create, lib.olo_sensitivity_free,
                   optimum._optimum, model,
                   problem if optimum._given[0].changed else ffi.NULL, encode(parameter))
    width, count = optimum.system.coordinates, optimum.intervals
    q = [numpy.frombuffer(ffi.buffer(lib.olo_sensitivity_configuration(found, k), 8 * width)).copy()
         for k in range(count + 1)]
    controls = {name: numpy.array([lib.olo_sensitivity_input(found, i, k) for k in range(count)])
                for i, name in enumerate(optimum.controls)}
    return Sensitivity(lib.olo_sensitivity_cost(found), lib.olo_sensitivity_duration(found),
                       controls, numpy.array(q))
