"""What the studio refuses, with the status and the word that tell a program why."""

from jumok.errors import JumokError


class RefusedError(JumokError):
    """A request that cannot be answered as it was made."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status, self.code = status, code


def invalid(message: str) -> RefusedError:
    """422: a value does not fit."""
    return RefusedError(422, "invalid", message)


def too_large(message: str) -> RefusedError:
    """413: there is more of it than the studio takes."""
    return RefusedError(413, "too_large", message)
