"""Pickles a dump byte for byte as PyTorch's C++ pickler does.

It differs from Python's own protocol 2: every string is memoised where it first stands, a dict only when it has more
than one holder (stack frames do), lists and dicts are written whole between a mark and APPENDS or SETITEMS even when
empty, and an integer beyond 32 bits is always a LONG1 of eight bytes.
"""

import struct
from collections import Counter


def torch_pickle(dump) -> bytes:
    """`dump` is the dict of a dump, or the list of entries of a very old one. Frames with several holders are the
    same object."""
    entries = dump.get("entries", []) if isinstance(dump, dict) else dump
    holders = Counter(id(frame) for entry in entries for frame in entry.get("frames", []))
    holders[id(dump)] = 2  # the function that made it still holds it while it is pickled
    return _Pickler(holders).dump(dump)


class _Pickler:
    def __init__(self, holders: Counter):
        self._out = bytearray()
        self._memo: dict = {}  # strings by value, frames by id
        self._holders = holders

    def dump(self, value) -> bytes:
        self._out += b"\x80\x02"
        self._push(value)
        self._out += b"."
        return bytes(self._out)

    def _push(self, value):
        if value is None:
            self._out += b"N"
        elif isinstance(value, bool):
            self._out += b"\x88" if value else b"\x89"
        elif isinstance(value, int):
            self._push_int(value)
        elif isinstance(value, float):
            self._out += b"G" + struct.pack(">d", value)
        elif isinstance(value, str):
            self._push_str(value)
        elif isinstance(value, tuple):
            self._push_tuple(value)
        elif isinstance(value, list):
            self._push_list(value)
        else:
            self._push_dict(value)

    def _push_int(self, value: int):
        if 0 <= value <= 0xff:
            self._out += b"K" + struct.pack("<B", value)
        elif 0 <= value <= 0xffff:
            self._out += b"M" + struct.pack("<H", value)
        elif -2**31 <= value < 2**31:
            self._out += b"J" + struct.pack("<i", value)
        else:
            self._out += b"\x8a\x08" + struct.pack("<q", value)

    def _push_str(self, value: str):
        if value in self._memo:
            return self._get(value)
        encoded = value.encode()
        self._out += b"X" + struct.pack("<I", len(encoded)) + encoded
        self._put(value)

    def _push_tuple(self, value: tuple):
        if len(value) > 3:
            self._out += b"("
        for item in value:
            self._push(item)
        self._out += {0: b")", 1: b"\x85", 2: b"\x86", 3: b"\x87"}.get(len(value), b"t")

    def _push_list(self, value: list):
        self._out += b"]("
        for item in value:
            self._push(item)
        self._out += b"e"

    def _push_dict(self, value: dict):
        if id(value) in self._memo:
            return self._get(id(value))
        self._out += b"}("
        for key, item in value.items():
            self._push(key)
            self._push(item)
        self._out += b"u"
        if self._holders[id(value)] > 1:
            self._put(id(value))

    def _put(self, key):
        place = self._memo[key] = len(self._memo)
        self._out += struct.pack("<cB", b"q", place) if place < 256 else struct.pack("<cI", b"r", place)

    def _get(self, key):
        place = self._memo[key]
        self._out += struct.pack("<cB", b"h", place) if place < 256 else struct.pack("<cI", b"j", place)
