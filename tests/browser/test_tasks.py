"""Runs of several tasks in one studio: the menu has the views of the chosen run's task."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, expect

import jumok
from jumok.studio.studio import Studio
from tests.browser.conftest import GOLDEN, Served, settle
from tests.studio.conftest import serving
from tests.studio.test_copying import KEYS
from tests.tasks.test_few_shot import TINY


@pytest.fixture(scope="module")
def mixed(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A studio with a run that names pictures, one that summarises and one that translates."""
    place = tmp_path_factory.mktemp("mixed")
    jumok.train(TINY, out=place / "named")
    jumok.train(KEYS, out=place / "news", progress=False)
    text = Path(shutil.copytree(GOLDEN / "rnnsearch-1", place / "text"))
    studio = Studio([place / "named", place / "news", text], place / "home")
    with serving(studio) as access:
        yield Served(f"http://127.0.0.1:{access.port}/", place)


def test_the_menu_and_the_subject_follow_the_runs_task(context: BrowserContext, mixed: Served):
    page = context.new_page()
    page.goto(mixed.link(run="text", text="I read a book ."))
    settle(page)
    menu, field = page.locator("nav a"), page.locator("textarea[name=text]")
    views = menu.all_inner_texts()
    assert "Translate" in views
    expect(field).to_be_visible()
    page.locator("select[name=run]").select_option("named")
    settle(page)
    assert "Translate" not in menu.all_inner_texts()
    expect(field).to_have_count(0)
    expect(page.locator("main")).not_to_contain_text("cannot be read")
    page.locator("select[name=run]").select_option("text")
    settle(page)
    assert menu.all_inner_texts() == views
    expect(page.get_by_test_id("output")).not_to_be_empty()


@pytest.mark.parametrize(("lang", "word"), [("en", "Summarise"), ("ko", "요약")])
def test_a_run_that_summarises_does_not_translate(context: BrowserContext, mixed: Served, lang: str, word: str):
    page = context.new_page()
    page.goto(
        mixed.link(run="news", text="Mary Kim won the race in Paris on Sunday .").replace("/#", f"/?lang={lang}#")
    )
    settle(page)
    expect(page.locator("nav a[data-view=translate]")).to_have_text(word)
    expect(page.locator("button.go")).to_have_text(word)
    page.locator("nav a[data-view=steps]").click()
    settle(page)
    page.locator("li[data-stage=words] summary").click()
    symbols = page.locator("li[data-stage=words] .name").evaluate_all("all => all.map(one => one.dataset.symbol)")
    assert {"p_gen", "p_vocab(w)"} <= set(symbols)
    expect(page.locator("li[data-stage=words] .name[data-symbol=p_gen] sub")).to_have_text("gen")
    expect(page.locator("li[data-stage=words] pre")).to_contain_text(re.compile(r"p\(.+\) = 0\.\d+ · "))
    for view in ("translate", "beam", "whatif", "compare"):
        page.locator(f"nav a[data-view={view}]").click()
        settle(page)
        expect(page.locator("main")).not_to_contain_text(re.compile("[Tt]ranslation|번역"))


def test_a_view_of_text_offers_only_runs_of_text(context: BrowserContext, mixed: Served):
    page = context.new_page()
    page.goto(mixed.link(view="compare", run="text", text="I read a book ."))
    settle(page)
    assert page.locator("compare-view fieldset input").evaluate_all("all => all.map(one => one.value)") == [
        "news",
        "text",
    ]
