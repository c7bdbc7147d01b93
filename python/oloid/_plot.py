"""Plots of results with matplotlib."""
import numpy

from ._errors import Error

ENERGIES = ("energy.kinetic", "energy.potential", "energy.strain", "energy.constraint",
            "energy.work", "energy.dissipation", "energy.total")


def new_figure(rows):
    try:
        from matplotlib import pyplot
    except ImportError:
        raise Error("plots need matplotlib: pip install matplotlib", "UNSUPPORTED") from None
    return pyplot.subplots(rows, 1, sharex=True, squeeze=False, figsize=(8, 2.6 * rows),
                           layout="constrained")


def draw_columns(result, axes, names):
    """Plots columns over time; columns of one unit share an axis."""
    for axis, (unit, group) in zip(axes, by_units(result, names).items()):
        for name in group:
            values = result[name]
            labels = [name] if values.ndim == 1 else [f"{name}.{i}" for i in "xyz"]
            axis.plot(result.time, values, label=labels if len(labels) > 1 else labels[0])
        axis.set_ylabel(unit)
        axis.legend(loc="best")


def by_units(result, names):
    groups = {}
    for name in names:
        groups.setdefault(result.units(name), []).append(name)
    return groups


def draw_ledger(result, axes):
    """Plots energies, the drift of their balance, and constraint errors, with the extremes between
    rows."""
    time, ledger = result.time, result.ledger
    for name in ENERGIES:
        if numpy.any(ledger[name] != 0):
            axes[0].plot(time, ledger[name], label=name.split(".")[1])
    axes[0].set_ylabel(f"energy [{result.units('energy.total')}]")
    axes[0].legend(loc="best")
    balance = ledger["energy.balance"]
    low = ledger.min["energy.balance"] - balance[0]
    high = ledger.max["energy.balance"] - balance[0]
    axes[1].fill_between(time, low, high, alpha=0.3, linewidth=0)
    axes[1].plot(time, balance - balance[0])
    axes[1].set_ylabel("drift of the balance")
    error = ledger.max["constraint_error"]
    axes[2].semilogy(time, numpy.where(error > 0, error, numpy.nan))
    axes[2].set_ylabel("constraint error")


def plot(result, names):
    rows = len(by_units(result, names)) if names else 3
    figure, axes = new_figure(rows)
    axes = axes[:, 0]
    if names:
        draw_columns(result, axes, names)
    else:
        draw_ledger(result, axes)
    axes[0].set_title(result.model)
    axes[-1].set_xlabel(f"time [{result.units('time')}]")
    return figure
