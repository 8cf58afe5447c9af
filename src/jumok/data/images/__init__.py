"""Pictures: read from files or bytes, fitted to a size, found in class folders, kept in a memory-mapped store."""

from jumok.data.images.fitting import FITS, fit
from jumok.data.images.folders import class_folders, empty_folders
from jumok.data.images.labelled import Labelled, read_labelled
from jumok.data.images.picture import Picture, pixel_key
from jumok.data.images.reading import MOST_PIXELS, SUFFIXES, png_bytes, read_image
from jumok.data.images.store import PixelStore, open_store, write_store

__all__ = [
    "FITS",
    "MOST_PIXELS",
    "SUFFIXES",
    "Labelled",
    "Picture",
    "PixelStore",
    "class_folders",
    "empty_folders",
    "fit",
    "open_store",
    "pixel_key",
    "png_bytes",
    "read_image",
    "read_labelled",
    "write_store",
]
