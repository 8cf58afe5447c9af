"""A translation in a notebook: the page's own component with its answer inside, in a frame that can reach nothing.

The frame is a document of its own (`srcdoc`) in a sandbox without the notebook's origin. Its policy runs one script,
known by its hash, and loads nothing from anywhere, so it looks the same offline and in a saved notebook.
"""

import base64
import re
from functools import lru_cache
from hashlib import sha256
from html import escape
from pathlib import Path

from jumok.decoding.translation import Translation
from jumok.studio import payload
from jumok.studio.reading import read
from jumok.studio.runs import NamedRun
from jumok.studio.sessions import Session
from jumok.studio.sources import read_source

SCRIPT = Path(__file__).with_name("static") / "notebook" / "notebook.js"
_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src '{allowed}'; \
style-src 'unsafe-inline'; img-src data: blob:">
<title>{title}</title></head><body>
<script type="application/json" id="answer">{answer}</script>
<script>{script}</script></body></html>
"""
_FRAME = (
    '<iframe title="{title}" sandbox="allow-scripts allow-downloads" loading="lazy" '
    'style="width:100%;height:{height}px;border:0;color-scheme:light dark" srcdoc="{page}"></iframe>'
)


def iframe(translation: Translation) -> str | None:
    """The component for a notebook's cell; None where it cannot be drawn, so that the notebook takes the SVG."""
    whole = page(translation)
    if whole is None:
        return None
    rows = min(24, len(translation.target_words))
    return _FRAME.format(title=_title(translation), height=560 + 46 * rows, page=escape(whole))


def page(translation: Translation) -> str | None:
    """One HTML file that shows the translation anywhere, offline; None without a model, words or the built page."""
    script = component()
    if script is None or translation.run is None or not translation.source_words:
        return None
    answer = answer_of(translation).model_dump_json()
    digest = base64.b64encode(sha256(script.encode()).digest()).decode("ascii")
    return _PAGE.format(
        allowed=f"sha256-{digest}",
        title=_title(translation),
        # In JSON a < is as well written by its number, and then no text can end the element it stands in.
        answer=answer.replace("<", "\\u003c"),
        script=script,
    )


def answer_of(translation: Translation) -> payload.TranslateAnswer:
    """What the page would have been told about this translation."""
    assert translation.run is not None
    run = translation.run
    session = Session(NamedRun(run.name, run.path), run, None)
    source = read_source(session, translation.source)
    done = session.inspector.replay(source.plan, translation.ids)
    others = [
        payload.Other(text=one.text, ids=list(one.ids), score=round(one.score, 6), log_prob=round(one.log_prob, 6))
        for one in translation.alternatives
    ]
    reading = read(session, done, round(translation.score, 6), translation.target_cut, notes=source.notes)
    return payload.TranslateAnswer(reading=reading, gold=None, scene=None, beam=None, alternatives=others)


@lru_cache(maxsize=1)
def component() -> str | None:
    """The built component, written so that nothing in it ends the script element; None where it is not built."""
    if not SCRIPT.is_file():
        return None
    return re.sub(r"</(?=script)", r"<\\/", SCRIPT.read_text("utf-8"), flags=re.IGNORECASE)


def _title(translation: Translation) -> str:
    return escape(re.sub(r"\s+", " ", f"{translation.source} → {translation.text}"))
