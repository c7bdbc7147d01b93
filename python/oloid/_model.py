"""Models in code, with the words of model files.

A Model is a description: sections of elements with the keys that a model file has. It becomes the text of a
model file, and the library reads that, so that everything that holds for files holds here, errors included.
"""
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
    return {text(lib.olo_element_noun(i)): text(lib.olo_element_section(i)) for i in range(lib.olo_element_kind_count())}


def keys_of(noun):
    """The keys of an element and what they mean."""
    kind = list(kinds()).index(noun)
    return {text(lib.olo_element_key(kind, i)): text(lib.olo_element_key_help(kind, i))
            for i in range(lib.olo_element_key_count(kind))}


def number_text(value):
    """A number with all its digits, so that it is the same bits when it is read again."""
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
        items = [f"{key_text(key)}: {flow(item, f'{where}.{key}')}" for key, item in value.items() if item is not None]
        return "{" + ", ".join(items) + "}"
    if isinstance(value, (list, tuple, numpy.ndarray)):
        return "[" + ", ".join(flow(item, where) for item in value) + "]"
    raise InputError(f"{where}: a {type(value).__name__} has no place in a model: {value!r}")


def key_text(key):
    return key if isinstance(key, str) and PLAIN_KEY.fullmatch(key) else json.dumps(str(key), ensure_ascii=False)


class Model:
    """A model made in code.

    Arguments are the keys of a model file: name, description, units, gravity, plane, parameters, run, and sections of
    elements as lists of dicts. Elements can also be added one by one:

        model = Model("pendulum", gravity=[0, 0, -9.81])
        model.add_point(name="bob", mass=1, position=[1, 0, 0])
        model.add_rod(between=[[0, 0, 0], "bob"])
        model.set_run(step=0.01, end=2)

    There is an `add_...` for every kind of element; numbers may be expressions of the parameters. Loads and joints take
    a Python function, `function=`: of a load force(t, position, velocity), of a joint torque(t, coordinate, rate). With its derivatives,
    `slopes=`, steps converge faster and runs have gradients: of a load the matrices dforce/dposition and dforce/dvelocity, of a joint
    two numbers, by coordinate and rate; the arguments are the same.
    """

    def __init__(self, name, *, run=None, **sections):
        self._head = {"name": name}
        self._sections = {}
        self._run = dict(run or {})
        self.functions = {}
        nouns = {section: noun for noun, section in kinds().items()}
        for key, value in sections.items():
            if key in nouns and isinstance(value, (list, tuple)) and all(isinstance(item, dict) for item in value):
                for item in value:
                    self.add(nouns[key], **item)
            elif key in HEAD:
                self._head[key] = value
            else:
                self._sections[key] = value  # the library knows it, or says that it does not

    def add(self, noun, /, **keys):
        """Adds an element of a kind: "body", "joint", ..."""
        section = kinds().get(noun)
        if section is None:
            raise InputError(f"there is no element '{noun}'; known are {', '.join(kinds())}")
        function, slopes = keys.pop("function", None), keys.pop("slopes", None)
        if slopes is not None and not (callable(slopes) and callable(function)):
            raise InputError(f"{section}: `slopes` are a function, the derivatives of `function`")
        if function is not None:
            if noun not in ("load", "joint"):
                raise InputError(f"a {noun} takes no function, only loads and joints do")
            if not callable(function) or not keys.get("name"):
                raise InputError(f"{section}: a function of a {noun} must be callable, and the {noun} needs a name")
            self.functions[keys["name"]] = (noun, function, slopes)
        self._sections.setdefault(section, []).append(keys)
        return self

    def __getattr__(self, name):
        noun = name[4:].replace("_", "-") if name.startswith("add_") else None
        if noun not in (kinds() if noun else ()):
            raise AttributeError(f"'Model' object has no attribute '{name}'")

        def add(**keys):
            return self.add(noun, **keys)
        add.__name__ = name
        add.__doc__ = f"Adds a {noun}. Keys:\n\n" + "\n".join(f"    {key}: {help}" for key, help in keys_of(noun).items())
        return add

    def __dir__(self):
        return [*super().__dir__(), *("add_" + noun.replace("-", "_") for noun in kinds())]

    def set_parameter(self, name, value):
        """A parameter, a number or an expression of others."""
        self._head.setdefault("parameters", {})[name] = value
        return self

    def set_run(self, **options):
        """How to run: step, end, constraints, ..., the section `run` of a model file."""
        self._run.update(options)
        return self

    @property
    def name(self):
        return self._head["name"]

    @property
    def text(self):
        """The model as the text of a model file (without Python functions)."""
        lines = [f"{key}: {flow(self._head[key], key)}" for key in HEAD if self._head.get(key) is not None]
        for section, elements in self._sections.items():
            if not isinstance(elements, list):
                lines.append(f"{key_text(section)}: {flow(elements, section)}")
                continue
            lines.append(f"{key_text(section)}:")
            lines += [f"  - {flow(element, f'{section}[{i}]')}" for i, element in enumerate(elements)]
        if self._run:
            lines.append(f"run: {flow(self._run, 'run')}")
        return "\n".join(lines) + "\n"

    def save(self, path):
        """Writes a model file."""
        if self.functions:
            raise InputError(f"a model file has no place for Python functions: {', '.join(self.functions)}")
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.text)

    def __repr__(self):
        counts = ", ".join(f"{len(elements)} {section}" for section, elements in self._sections.items()
                           if isinstance(elements, list))
        return f"<oloid.Model {self.name!r}: {counts or 'empty'}>"
