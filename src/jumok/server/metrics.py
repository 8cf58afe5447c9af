"""What Prometheus reads at /metrics."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

SECONDS = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30)


class Metrics:
    """The numbers of one server, in a registry of its own."""

    def __init__(self) -> None:
        self.registry = registry = CollectorRegistry()
        self.requests = Counter("jumok_requests", "Requests", ["route", "status"], registry=registry)
        self.seconds = Histogram(
            "jumok_request_seconds", "Time per request", ["route"], buckets=SECONDS, registry=registry
        )
        self.sentences = Counter("jumok_sentences", "Sentences translated", ["run"], registry=registry)
        self.characters = Counter("jumok_characters", "Characters taken", ["run"], registry=registry)
        self.batch = Histogram(
            "jumok_batch_sentences", "Sentences per batch", buckets=(1, 2, 4, 8, 16, 32), registry=registry
        )
        self.queue = Gauge("jumok_queue_sentences", "Sentences that wait", registry=registry)
        self.under_way = Gauge("jumok_requests_under_way", "Requests being answered", registry=registry)
        self.lost = Counter("jumok_workers_replaced", "Workers that died or were late", registry=registry)

        self._requests: dict[tuple[str, int], Counter] = {}
        self._seconds: dict[str, Histogram] = {}

    def answered(self, route: str, status: int, seconds: float) -> None:
        """Counts an answer. The numbers of a route are looked up once: the library takes its time for that."""
        if (route, status) not in self._requests:
            self._requests[route, status] = self.requests.labels(route, str(status))
            self._seconds[route] = self.seconds.labels(route)
        self._requests[route, status].inc()
        self._seconds[route].observe(seconds)

    def text(self) -> bytes:
        """In Prometheus' format."""
        return generate_latest(self.registry)
