"""The compiled part of the engine, its functions with their arguments declared."""

import ctypes
from functools import cache
from pathlib import Path

from jumok.compiled.build import NotBuiltError, Part
from jumok.engine.structures import Model, Request

PART = Part("engine", Path(__file__).parent / "native" / "search.c")


class NoEngineError(Exception):
    """Why the compiled engine cannot be had here: a sentence without its first word and full stop."""


@cache
def library() -> ctypes.CDLL:
    """The engine's functions; compiles them if that has not been done on this machine."""
    try:
        return _typed(PART.load())
    except NotBuiltError as error:
        raise NoEngineError(str(error)) from None


def _typed(engine: ctypes.CDLL) -> ctypes.CDLL:
    """The functions with their arguments declared, after a check that both sides mean the same structures."""
    engine.jumok_sizes.argtypes, engine.jumok_sizes.restype = [ctypes.c_int], ctypes.c_int
    sizes = (engine.jumok_sizes(0), engine.jumok_sizes(1))
    if sizes != (ctypes.sizeof(Model), ctypes.sizeof(Request)):
        raise NoEngineError("the compiled engine does not match this version of Jumok")
    engine.jumok_workspace.argtypes, engine.jumok_workspace.restype = [], ctypes.c_void_p
    engine.jumok_free.argtypes, engine.jumok_free.restype = [ctypes.c_void_p], None
    engine.jumok_search.argtypes = [ctypes.POINTER(Model), ctypes.POINTER(Request), ctypes.c_void_p]
    engine.jumok_search.restype = ctypes.c_int
    return engine
