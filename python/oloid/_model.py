"""Models in code, with the keys of model files.

A Model is a description: sections of elements with the keys of a model file. It is converted to the
text of a model file, which the library reads; therefore all rules and error messages are those of
model files.
"""
import difflib
import json
import numbers
import re

import numpy

from ._errors import InputError
from ._library import lib, text

PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
HEAD = ("name", "description", "units", "gravity", "plane", "parameters")


def kinds():
    """Section of each kind of element, by its noun: {"body": "bodies", ...}."""
    return {text(lib.olo_element_noun(i)): text(lib.olo_element_section(i))
            for i in range(lib.olo_element_kind_count())}


def keys_of(noun):
    """The keys of a kind of element and their meanings."""
    kind = list(kinds()).index(noun)
    return {text(lib.olo_element_key(kind, i)): text(lib.olo_element_key_help(kind, i))
            for i in range(lib.olo_element_key_count(kind))}


def number_text(value):
    """A number with all its digits, so that reading it restores the same bits."""
    if isinstance(value, (bool, numpy.bool_)):
        return "true" if value else "false"
    return str(int(value)) if isinstance(value, numbers.Integral) else repr(float(value))


def flow(value, where):
    """A value as YAML on one line."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, (bool, numpy.bool_, numbers.Real)):
        return number_text(value)
    if isinstance(value, dict):
        items = [f"{key_text(key)}: {flow(item, f'{where}.{key}')}"
                 for key, item in value.items() if item is not None]
        return "{" + ", ".join(items) + "}"
    if isinstance(value, (list, tuple, numpy.ndarray)):
        return "[" + ", ".join(flow(item, where) for item in value) + "]"
    raise InputError(f"{where}: a model cannot contain a value of type {type(value).__name__}: "
                     f"{value!r}")


def key_text(key):
    """A key as YAML, quoted if necessary."""
    if isinstance(key, str) and PLAIN_KEY.fullmatch(key):
        return key
    return json.dumps(str(key), ensure_ascii=False)


def check_keys(noun, keys):
    """Refuses unknown keys at the call, not when the model is read."""
    known = [*keys_of(noun), "repeat"]
    for key in keys:
        if key not in known:
            near = difflib.get_close_matches(key, known, 1)
            hint = f", did you mean '{near[0]}'?" if near else f"; known are {', '.join(known)}"
            raise InputError(f"add_{noun.replace('-', '_')}: unknown key '{key}'{hint}")


class Model:
    """A model in code.

    Arguments are the keys of a model file: name, description, units, gravity, plane, parameters,
    run, and sections of elements as lists of dicts. Elements can also be added one by one:

        model = Model("pendulum", gravity=[0, 0, -9.81])
        model.add_point(name="bob", mass=1, position=[1, 0, 0])
        model.add_rod(between=[[0, 0, 0], "bob"])
        model.set_run(step=0.01, end=2)

    There is an `add_...` for every kind of element; numbers may be expressions of the parameters.
    A contact of type function accepts `function=`: gap(x) of the position of its point, or of both
    points `between`, which returns the gap, its gradient and its Hessian.
    Loads and joints accept a Python function, `function=`: force(t, position, velocity) of a load,
    torque(t, coordinate, rate) of a joint. Its derivatives, `derivatives=`, are a function of the same
    arguments: for a load it returns the matrices dforce/dposition and dforce/dvelocity, for a joint
    the derivatives by coordinate and by rate. With them steps converge faster and runs have
    gradients. A load on a body may have `wrench=` instead: a function of the whole motion of the
    body (`oloid.BodyMotion`) that returns a force, or a tuple of a force and a moment.
    """

    def __init__(self, name, *, run=None, **sections):
        self._head = {"name": name}
        self._sections = {}
        self._run = dict(run or {})
        self.functions = {}
        nouns = {section: noun for noun, section in kinds().items()}
        for key, value in sections.items():
            is_list = isinstance(value, (list, tuple))
            if key in nouns and is_list and all(isinstance(item, dict) for item in value):
                for item in value:
                    self.add(nouns[key], **item)
            elif key in HEAD:
                self._head[key] = value
            else:
                self._sections[key] = value  # the library checks it

    def add(self, noun, /, **keys):
        """Adds an element; `noun` is its kind: "body", "joint", ..."""
        section = kinds().get(noun)
        if section is None:
            raise InputError(f"there is no element '{noun}'; known are {', '.join(kinds())}")
        function, derivatives = keys.pop("function", None), keys.pop("derivatives", None)
        wrench = keys.pop("wrench", None)
        check_keys(noun, keys)
        if derivatives is not None and not (callable(derivatives) and callable(function)):
            raise InputError(f"{section}: `derivatives` are a function, those of `function`")
        if wrench is not None:
            if noun != "load" or function is not None:
                raise InputError(f"{section}: `wrench` is a function of a load, instead of "
                                 "`function`")
            function = wrench
        if function is not None:
            if noun not in ("load", "joint", "contact"):
                raise InputError(f"a {noun} takes no function, only loads, joints and contacts do")
            if not callable(function) or not keys.get("name"):
                raise InputError(f"{section}: a function of a {noun} must be callable, and the "
                                 f"{noun} needs a name")
            if noun == "contact":
                if derivatives is not None:
                    raise InputError(f"{section}: the function of a contact returns its derivatives")
                function = (function, 6 if "between" in keys else 3)
            kind = noun if wrench is None else "wrench"
            self.functions[keys["name"]] = (kind, function, derivatives)
        self._sections.setdefault(section, []).append(keys)
        return self

    def __getattr__(self, name):
        noun = name[4:].replace("_", "-") if name.startswith("add_") else None
        if noun not in (kinds() if noun else ()):
            raise AttributeError(f"'Model' object has no attribute '{name}'")

        def add(**keys):
            return self.add(noun, **keys)
        add.__name__ = name
        lines = [f"    {key}: {help}" for key, help in keys_of(noun).items()]
        add.__doc__ = f"Adds a {noun}. Keys:\n\n" + "\n".join(lines)
        return add

    def __dir__(self):
        return [*super().__dir__(), *("add_" + noun.replace("-", "_") for noun in kinds())]

    def set_parameter(self, name, value):
        """Sets a parameter to a number or to an expression of other parameters."""
        self._head.setdefault("parameters", {})[name] = value
        return self

    def set_run(self, **options):
        """Sets options of the run: step, end, constraints, ..., the section `run` of a model
        file."""
        self._run.update(options)
        return self

    @property
    def name(self):
        return self._head["name"]

    @property
    def text(self):
        """The model as the text of a model file (without Python functions)."""
        lines = [f"{key}: {flow(self._head[key], key)}"
                 for key in HEAD if self._head.get(key) is not None]
        for section, elements in self._sections.items():
            if not isinstance(elements, list):
                lines.append(f"{key_text(section)}: {flow(elements, section)}")
                continue
            lines.append(f"{key_text(section)}:")
            lines += [f"  - {flow(element, f'{section}[{i}]')}"
                      for i, element in enumerate(elements)]
        if self._run:
            lines.append(f"run: {flow(self._run, 'run')}")
        return "\n".join(lines) + "\n"

    def save(self, path):
        """Writes a model file."""
        if self.functions:
            raise InputError("a model file cannot contain Python functions: "
                             f"{', '.join(self.functions)}")
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.text)

    def __repr__(self):
        counts = ", ".join(f"{len(elements)} {section}"
                           for section, elements in self._sections.items()
                           if isinstance(elements, list))
        return f"<oloid.Model {self.name!r}: {counts or 'empty'}>"
