"""`jumok cluster`: a large corpus, or requests, on a Ray cluster."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from jumok.arguments import MOST_BEAM, MOST_THREADS
from jumok.cli.options import RunFolder
from jumok.errors import InputError

app = typer.Typer(add_completion=False, no_args_is_help=True, rich_markup_mode=None)
Address = Annotated[str | None, typer.Option(help="Address of a Ray cluster; without it, one on this machine.")]
Workers = Annotated[int, typer.Option(min=1, max=MOST_THREADS, help="Processes of the cluster that translate.")]


@app.callback()
def cluster() -> None:
    """Translate a large corpus, or serve, on a Ray cluster."""


@app.command()
def translate(
    run: RunFolder,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Corpus, one sentence per line.")],
    out: Annotated[
        Path,
        typer.Option(help="File to write; its pieces are kept in OUT.parts until all are done."),
    ],
    workers: Workers = 2,
    beam: Annotated[int, typer.Option(min=1, max=MOST_BEAM, help="Beam size; 1 is greedy search.")] = 5,
    lines: Annotated[int, typer.Option(min=1, max=1_000_000, help="Lines of a piece.")] = 500,
    address: Address = None,
) -> None:
    """Translate a corpus; started again, it does only what is missing."""
    from jumok.cluster.corpus import Work, check_work, join, remove_parts, translate_corpus
    from jumok.cluster.session import connected

    if out.exists():
        raise InputError(f"{out} exists already; remove it, or name another file.")
    parts = out.with_name(out.name + ".parts").resolve()
    work = Work(str(run.resolve()), str(file.resolve()), str(parts), beam, lines)
    check_work(work, out.absolute())
    with connected(address, None if address else workers):
        for done, of in translate_corpus(work, workers):
            print(f"\r{done} of {of} pieces", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    join(work, out)
    remove_parts(work)
    typer.echo(str(out))


@app.command()
def serve(
    run: RunFolder,
    replicas: Workers = 2,
    host: Annotated[str, typer.Option(help="Address to listen on, on every machine of the cluster.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port to listen on.")] = 8690,
    address: Address = None,
) -> None:
    """Serve a run on Ray Serve (`/v1/translate`) until Ctrl-C."""
    from jumok.cluster.session import connected
    from jumok.server.runs import served_runs

    served_runs([run])  # what cannot be served is refused before a cluster is started
    with connected(address, None if address else replicas + 1):
        from ray import serve as ray_serve  # pyright: ignore[reportMissingImports]

        from jumok.cluster.serving import deployment

        ray_serve.start(http_options={"host": host, "port": port})
        ray_serve.run(deployment(run, replicas), route_prefix="/", blocking=False)
        print(f"Serving at http://{host}:{port}/v1/translate  (press Ctrl-C to stop)", file=sys.stderr)
        wait_for_interrupt()
        ray_serve.shutdown()


def wait_for_interrupt() -> None:
    """Returns when Ctrl-C is pressed."""
    import signal

    try:
        signal.pause()
    except KeyboardInterrupt:
        return
