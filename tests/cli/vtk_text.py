"""Reads VTK's XML files without VTK: arrays by name, from base64."""
import base64
import xml.etree.ElementTree as ElementTree

import numpy

TYPES = {"Float64": "f8", "Int32": "i4"}


def array_of(element, order):
    """The numbers or words of a DataArray; what its head says about them is checked."""
    data = base64.b64decode(element.text or "", validate=True)
    size = int(numpy.frombuffer(data[:8], order + "u8")[0])
    assert len(data) == 8 + size
    tuples, components = int(element.get("NumberOfTuples")), int(element.get("NumberOfComponents"))
    if element.get("type") == "String":
        words = data[8:].decode().split("\0")
        assert len(words) == tuples + 1 and words[-1] == ""
        return words[:-1]
    values = numpy.frombuffer(data[8:], order + TYPES[element.get("type")])
    assert len(values) == tuples * components
    return values.reshape(-1, components) if components > 1 else values


class PolyData:
    """A .vtp file: field, point and cell data, points and cells."""

    def __init__(self, path):
        root = ElementTree.parse(path).getroot()
        assert (root.tag == "VTKFile" and root.get("type") == "PolyData" and root.get("header_type")
                == "UInt64")
        order = {"LittleEndian": "<", "BigEndian": ">"}[root.get("byte_order")]

        def section(name):
            found = root.find(f".//{name}")
            return ({item.get("Name"): array_of(item, order) for item in found} if found is not None
                    else {})
        piece = root.find(".//Piece")
        self.field, self.point_data, self.cell_data = section("FieldData"), section(
            "PointData"), section("CellData")
        self.points = section("Points")["Points"]
        self.cells = {}
        for kind in ("Verts", "Lines", "Polys"):
            arrays = section(kind)
            offsets = arrays.get("offsets", [])
            assert len(offsets) == int(piece.get(f"NumberOf{kind}"))
            self.cells[kind] = numpy.split(arrays["connectivity"],
                                           offsets[:-1]) if len(offsets) else []
        assert len(self.points) == int(piece.get("NumberOfPoints"))
        for values in self.point_data.values():
            assert len(values) == len(self.points)
        for values in self.cell_data.values():
            assert len(values) == sum(len(cells) for cells in self.cells.values())


def collection(path):
    """The frames of a .pvd file: [(time, {kind: file})]."""
    root = ElementTree.parse(path).getroot()
    assert root.get("type") == "Collection"
    frames = {}
    for item in root.iter("DataSet"):
        frames.setdefault(float(item.get("timestep")),
                          {})[item.get("name")] = path.parent / item.get("file")
    return sorted(frames.items())


def volume(data, faces):
    """Volume inside faces that are seen counter-clockwise from outside: the sum of tetrahedra with
    the origin."""
    total = 0.0
    for face in faces:
        corners = data.points[face]
        for i in range(1, len(corners) - 1):
            total += numpy.dot(corners[0], numpy.cross(corners[i], corners[i + 1])) / 6
    return total
