"""`jumok studio`: a web page where a person types a sentence and watches a trained model translate it."""

import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from jumok.cli.telling import tell
from jumok.errors import ConfigError

if TYPE_CHECKING:
    from jumok.studio.studio import Studio

HOME = Path("runs")


def studio(
    runs: Annotated[
        list[Path] | None, typer.Argument(metavar="[RUN …]", help="Run folders; runs/demo if none.")
    ] = None,
    port: Annotated[
        int | None, typer.Option(min=1, max=65535, help="Port to listen on; a free one if not given.")
    ] = None,
    host: Annotated[
        str, typer.Option(help="Host to listen on; other than this machine, a token is required.")
    ] = "127.0.0.1",
    no_open: Annotated[bool, typer.Option("--no-open", help="Do not open the page in a browser.")] = False,
    lang: Annotated[
        str | None, typer.Option(help="Language of the page: ko or en; the browser's if not given.")
    ] = None,
) -> None:
    """Open the studio. Without a run: the demo's, which is trained first if need be, with progress on the page."""
    if lang not in (None, "ko", "en"):
        raise ConfigError(f"The studio is available in ko and en, not '{lang}'.")
    missing = [name for name in ("fastapi", "uvicorn") if find_spec(name) is None]
    if missing:
        raise ConfigError(f"The studio needs {' and '.join(missing)}; install them with: pip install 'jumok[studio]'.")
    folders = [checked(path) for path in runs or []]

    from jumok.studio.server import serve
    from jumok.studio.studio import Studio

    opened = Studio(folders, HOME)
    if not folders:
        use_demo(opened)
    opened.tour.remember()
    try:
        serve(opened, host, port, lang, say, open_page=not no_open)
    except KeyboardInterrupt:
        opened.close()


def checked(path: Path) -> Path:
    """The folder, which must be a run's."""
    from jumok.run.folder import config_bytes

    config_bytes(path)
    return path


def use_demo(opened: "Studio") -> None:
    """The demo's run: as it is, as another process trains it, or trained now in the background."""
    from jumok.run.status import status_of

    folder = HOME / "demo"
    status = status_of(folder)
    if status != "gone":
        opened.runs.add(folder)
    if status in ("finished", "running"):
        return
    opened.tour.train_demo()
    print(
        f"There is no trained demo yet: it is being trained in {folder}; the page shows the progress.",
        file=sys.stderr,
    )


def say(address: str) -> None:
    """Tells where the studio is, once."""
    tell(f"The studio is at {address}  (press Ctrl-C to stop)")
    typer.echo(address)
