"""gzip and Zstandard, as people pack dumps. Zstandard through the library that Lockstep itself links."""

import ctypes
import ctypes.util
import functools
import gzip

GZIP_MAGIC, ZSTD_MAGIC = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"


def gz(content: bytes) -> bytes:
    return gzip.compress(content, 9, mtime=0)


def zst(content: bytes) -> bytes:
    library = _zstd()
    bound = library.ZSTD_compressBound(ctypes.c_size_t(len(content)))
    room = ctypes.create_string_buffer(bound)
    size = library.ZSTD_compress(room, ctypes.c_size_t(bound), content, ctypes.c_size_t(len(content)), 19)
    return room.raw[:_checked(size)]


def unpacked(content: bytes) -> bytes:
    try:
        if content.startswith(GZIP_MAGIC):
            return gzip.decompress(content)
        if content.startswith(ZSTD_MAGIC):
            return _unpacked_zst(content)
    except (EOFError, ValueError):
        pass  # cut on purpose: compared as it is
    return content


def _unpacked_zst(content: bytes) -> bytes:
    library = _zstd()
    size = library.ZSTD_getFrameContentSize(content, ctypes.c_size_t(len(content)))
    room = ctypes.create_string_buffer(_checked(size))
    return room.raw[:_checked(library.ZSTD_decompress(room, ctypes.c_size_t(size), content,
                                                      ctypes.c_size_t(len(content))))]


def _checked(size: int) -> int:
    if _zstd().ZSTD_isError(ctypes.c_size_t(size)):
        raise ValueError("libzstd failed")
    return size


@functools.cache
def _zstd():
    library = ctypes.CDLL(ctypes.util.find_library("zstd") or "libzstd.so.1")
    for name in ("ZSTD_compressBound", "ZSTD_compress", "ZSTD_decompress", "ZSTD_getFrameContentSize"):
        getattr(library, name).restype = ctypes.c_size_t
    return library
