"""Result files as other programs read and change them: texts, and the checksum trailer at the end
(docs/result-format.md)."""
import contextlib
import struct
import zlib

import h5py
import numpy


def words(value):
    """Texts of an attribute: HDF5 gives texts of a fixed length as bytes."""
    return value.decode() if isinstance(value, bytes) else [word.decode() for word in value]


def add_trailer(path):
    """Adds the checksum trailer that another program has cut off."""
    with open(path, "r+b") as file:
        data = file.read()
        end = b"oloidend" + struct.pack("<QQ", 0, len(data))
        file.write(end + struct.pack("<Q", zlib.crc32(end, zlib.crc32(data))))


@contextlib.contextmanager
def changed(path):
    """Opens a result for changes; its checksum trailer is written again afterwards."""
    with h5py.File(path, "r+") as file:
        yield file
    add_trailer(path)


def put_text(file, dataset, text):
    """Replaces all texts of a dataset."""
    shape = file[dataset].shape
    del file[dataset]
    file[dataset] = numpy.full(shape, text.encode(), dtype=f"S{len(text.encode())}")
