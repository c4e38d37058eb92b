"""The arrays of a graphics card: CuPy, or a sentence that says why there is none.

Everything else in this room takes the array module as an argument, so that NumPy can stand in for CuPy.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any, NamedTuple

from divulge.errors import MissingLibrary, SourceError

Arrays = Any  # the module: CuPy, or NumPy
OnCard = Any  # an array of that module

EXTRA = "pip install 'divulge[gpu]'"
_NO_DEVICE, _OLD_DRIVER = 100, 35  # what CUDA's runtime calls them
_DRIVER = "Install NVIDIA's driver, 580 or newer for CUDA 13, and see what nvidia-smi says."


class Card(NamedTuple):
    """A card as it was found: what it is called, its bytes of memory, and CuPy's version."""

    name: str
    memory: int
    cupy: str


class CardProblem(SourceError):
    """No card that can count; ``get`` says in a few words what it takes."""

    def __init__(self, message: str, get: str, *, hint: str) -> None:
        super().__init__(message, hint=hint)
        self.get = get


def card_arrays() -> Arrays:
    """CuPy with a card that works; refused with what to install where there is none."""
    if find_spec("cupy") is None:
        raise MissingLibrary("the engine 'gpu'", "cupy", "gpu", doing="Counting with")
    try:
        cupy = import_module("cupy")
    except Exception:  # a library of CUDA is missing, or is another version
        raise _wrong_cuda() from None
    try:
        devices = cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError as error:
        raise _without_card(error.status) from None
    if not devices:
        raise _without_card(_NO_DEVICE)
    try:
        works = int((cupy.arange(3) + 1).sum()) == 6  # compiles a kernel, which takes CUDA's compiler
    except Exception:
        raise _wrong_cuda() from None
    if not works:
        raise CardProblem(
            "The card adds 1, 2 and 3 up to another number than 6.", "a sound card", hint=_DRIVER
        )
    return cupy


def found_card() -> Card:
    """The card that would count; refused as above where there is none."""
    cupy = card_arrays()
    about = cupy.cuda.runtime.getDeviceProperties(cupy.cuda.Device().id)
    return Card(about["name"].decode(), int(about["totalGlobalMem"]), cupy.__version__)


def _without_card(status: int) -> CardProblem:
    if status == _OLD_DRIVER:
        said = "The driver of the graphics card is missing, or too old for CuPy."
        return CardProblem(said, "NVIDIA's driver, 580 or newer", hint=_DRIVER)
    said = "There is no NVIDIA graphics card that this process can use."
    return CardProblem(said, "an NVIDIA card and its driver", hint=_DRIVER)


def _wrong_cuda() -> CardProblem:
    return CardProblem(
        "CuPy cannot use the CUDA of this machine: its libraries are missing, or are another version.",
        "CuPy for this CUDA, 12 or 13",
        hint=f"For CUDA 13: {EXTRA}. For CUDA 12: pip install 'cupy-cuda12x[ctk]'. Keep one of the two.",
    )


def is_card(xp: Arrays) -> bool:
    """Whether arrays are on a card, where kernels of our own can run."""
    return hasattr(xp, "RawKernel")


def fetched(xp: Arrays, array: OnCard) -> Any:
    """An array brought over from the card, as NumPy has it."""
    return xp.asnumpy(array) if is_card(xp) else array


def free_bytes(xp: Arrays) -> int | None:
    """The memory that is left on the card, within the limit of CuPy's pool; None where there is no card."""
    if not is_card(xp):
        return None
    pool = xp.get_default_memory_pool()
    free, limit = int(xp.cuda.runtime.memGetInfo()[0]) + int(pool.free_bytes()), int(pool.get_limit())
    return min(free, max(limit - int(pool.used_bytes()), 0)) if limit else free
