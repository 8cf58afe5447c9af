"""What the server refuses, with the status and the word that tell a program why."""

from jumok.errors import JumokError


class RefusedError(JumokError):
    """A request that cannot be answered as it was made, or not now: then it may come again in `retry` seconds."""

    def __init__(self, status: int, code: str, message: str, retry: int | None = None) -> None:
        super().__init__(message)
        self.status, self.code, self.retry = status, code, retry

    @property
    def headers(self) -> dict[str, str]:
        """Retry-After, where coming again helps."""
        return {} if self.retry is None else {"Retry-After": str(self.retry)}


def invalid(message: str) -> RefusedError:
    """422: a value does not fit."""
    return RefusedError(422, "invalid", message)


def too_large(message: str) -> RefusedError:
    """413: there is more of it than the server takes."""
    return RefusedError(413, "too_large", message)


def queue_full(retry: int = 1) -> RefusedError:
    """429: as many sentences wait as may."""
    return RefusedError(429, "queue_full", "The queue is full; send the request again later.", retry=retry)


def failed(message: str = "The server failed at this request; its log says how.") -> RefusedError:
    """500: an error of ours."""
    return RefusedError(500, "internal", message)


def too_late() -> RefusedError:
    """503: the deadline has passed."""
    return RefusedError(503, "deadline", "The request was not answered within its deadline; send less text.", retry=2)


def too_long() -> RefusedError:
    """503: by how long others took, the deadline would pass before it is done."""
    return RefusedError(503, "deadline", "The request would take longer than its deadline; send less text.", retry=2)


def changed() -> RefusedError:
    """503: what this request needs of the model cannot be loaded, or is of other weights than those that are served."""
    return RefusedError(503, "run_changed", "The run has changed on disk and is not loaded again yet.", retry=5)


def failed_twice() -> RefusedError:
    """503: the workers that tried died."""
    return RefusedError(503, "worker_lost", "The processes that translated this text ended unexpectedly.", retry=5)


def no_worker() -> RefusedError:
    """503: a worker has ended, and another could not be started."""
    return RefusedError(503, "no_worker", "The model cannot be loaded now; the server's log says why.", retry=5)
