"""Lessons on the Transformer and beyond text, computed in the page; and all computed lessons on a phone."""

import pytest
from playwright.sync_api import Locator, Page, expect

from jumok.config import resolve
from jumok.models.build import build_model
from jumok.studio.lessons import LESSONS
from tests.browser.conftest import Served, Watched
from tests.browser.test_computed_lessons import LANGUAGES, answer_quiz, lesson, number, shown
from tests.browser.test_reading import PHONE, assert_fits_a_phone

COMPUTED = (
    "encoder-decoder", "five-steps", "worked-scores", "gradient-path", "query-key-value", "generalise", "scale",
    "positions", "architecture", "image-attention", "sagan", "copying",
)  # fmt: skip


def slide(page: Page, name: str, value: float) -> None:
    """Moves a slider."""
    page.locator(f"input[name={name}]").fill(str(value))


def choose(page: Page, choice: str) -> None:
    """Presses one of the buttons of a choice."""
    page.locator(f"button[data-choice={choice}]").click()


# ---------------------------------------------------------------- 1964


@pytest.mark.parametrize("lang", LANGUAGES)
def test_1964_starts_from_the_plain_mean(lang: str, watched: Watched, served: Served):
    page = lesson(watched, served, "query-key-value", lang)
    estimates = [f"estimate-{name}" for name in ("mean", "unnormalised", "normalised")]
    mean, unnormalised, normalised = (shown(page, name) for name in estimates)
    slide(page, "query", 4.2)
    expect(page.get_by_test_id("prediction")).to_contain_text("4.20")
    watched.settle()
    assert shown(page, "estimate-mean") == mean  # whatever the query
    assert shown(page, "estimate-unnormalised") != unnormalised
    assert shown(page, "estimate-normalised") != normalised
    page = lesson(watched, served, "query-key-value", lang, bandwidth=50)
    assert shown(page, "estimate-normalised") == pytest.approx(mean, abs=0.002)
    assert shown(page, "estimate-unnormalised") == pytest.approx(mean, abs=0.002)
    for name in estimates:  # the same digits, so that the answer can be read off
        assert page.get_by_test_id(name).inner_text() == "0.313"
    answer_quiz(page, 1)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_without_a_key_near_by_no_weights_sum_to_one(lang: str, watched: Watched, served: Served):
    page = lesson(watched, served, "query-key-value", lang, profile="boxcar", bandwidth=0.1, at=3.6)
    card = page.locator("kernel-play li.box").last
    expect(card).to_contain_text("No key is within" if lang == "en" else "대역폭 안에 키가 없습니다")
    slide(page, "query", 3.9)
    expect(card).to_contain_text("sum to one" if lang == "en" else "합이 1")
    expect(page.get_by_test_id("estimate-normalised")).to_have_text("−0.750")  # the only key's value


# ---------------------------------------------------------------- positions


def changed(page: Page) -> dict[str, float]:
    """By how much each word's output has changed."""
    words = page.locator("positions-play li[data-word]").all()
    return {str(one.get_attribute("data-word")): number(one.get_by_test_id("change").inner_text()) for one in words}


@pytest.mark.parametrize("lang", LANGUAGES)
def test_only_positions_tell_the_order(lang: str, watched: Watched, served: Served):
    page = lesson(watched, served, "positions", lang)
    words = page.locator("positions-play li[data-word] h3")
    says, blind = page.get_by_test_id("says"), "does not see the order" if lang == "en" else "순서를 보지 못합니다"
    expect(says).not_to_contain_text(blind)  # nothing was moved yet
    page.get_by_test_id("swap").click()
    expect(words.nth(1)).to_contain_text("man")
    assert set(changed(page).values()) == {0}
    for word in ("bites", "man"):  # any other order: words moved by their arrows
        page.locator(f"li[data-word={word}] button").first.click()
    assert set(changed(page).values()) == {0}
    expect(says).to_contain_text(blind)
    answer_quiz(page, 0)
    choose(page, "with")
    assert changed(page)["dog"] > 0.05
    assert changed(page)["bites"] > 0.05
    expect(page.locator("positions-play curve-chart path")).not_to_have_count(0)
    page.locator("positions-play .choices button").last.click()  # the first order, with positions
    expect(says).not_to_contain_text(blind)


# ---------------------------------------------------------------- the whole Transformer


def counted(name: str, *more: str) -> int:
    """Parameters of a part of Jumok's own Transformer of width 128."""
    sides = [
        f"model.{side}.{key}"
        for side in ("encoder", "decoder")
        for key in ("layers=2", "heads=4", "ff=512", "size=128")
    ]
    config = resolve({}, ["model.preset=transformer", "model.embedding=128", *sides, *more])
    return sum(
        one.numel() for key, one in build_model(config.model, 8000, 8000).named_parameters() if key.startswith(name)
    )


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_transformer_opens_part_by_part(lang: str, watched: Watched, served: Served):
    page = lesson(watched, served, "architecture", lang, layers=2, width=2, heads=2)
    assert number(page.get_by_test_id("all").inner_text().replace(",", "")) == counted("")
    panel = page.get_by_test_id("panel")
    for kind in ("embedding", "self", "masked", "cross", "norm", "feed", "output"):
        page.locator(f"button[data-kind={kind}]").first.click()
        name = panel.locator("code").first.inner_text()
        expect(panel.locator("math-formula math").first).to_be_visible()
        assert number(page.get_by_test_id("one").inner_text().replace(",", "")) == counted(name), kind
    page.locator("button[data-kind=cross]").click()
    expect(panel).to_contain_text("encoder" if lang == "en" else "인코더의 출력")
    all_before = page.get_by_test_id("all").inner_text()
    slide(page, "heads", 4)
    expect(page.get_by_test_id("head")).to_have_text("128 / 16 = 8")
    assert page.get_by_test_id("all").inner_text() == all_before
    answer_quiz(page, 0)


# ---------------------------------------------------------------- beyond text


def share(page: Page, thing: str) -> float:
    """The attention on a thing in the picture, in percent."""
    return float(page.locator(f"[data-thing={thing}]").inner_text().rstrip("%"))


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_covered_patch_is_guessed_from_the_head(lang: str, watched: Watched, served: Served):
    page = lesson(watched, served, "image-attention", lang)
    head = {thing: share(page, thing) for thing in ("ear", "eyes", "nose", "fur")}
    rest = {thing: share(page, thing) for thing in ("sweater", "blanket", "snow", "hidden")}
    assert max(head, key=head.__getitem__) == "ear"
    assert sum(head.values()) > 95
    assert sum(rest.values()) < 5
    cover = page.locator("image-attention svg[role=img] > :last-child").first  # over every shade
    expect(cover).to_have_class("cover")
    answer_quiz(page, 2)
    choose(page, "hard")
    assert share(page, "ear") == 100
    expect(page.get_by_test_id("context")).to_have_text("[1.00, 1.00, 0.00, 0.00]")
    heights = page.locator("[data-thing]").evaluate_all("all => all.map(one => one.getBoundingClientRect().height)")
    assert len(set(heights)) == 1  # 100.0% in one line like the others
    choose(page, "soft")
    choose(page, "sweater")
    assert share(page, "sweater") > 60
    slide(page, "sharp", 0)
    assert share(page, "snow") > share(page, "sweater")  # every patch the same


@pytest.mark.parametrize("lang", LANGUAGES)
def test_sagan_starts_local_and_looks_far(lang: str, watched: Watched, served: Served):
    page = lesson(watched, served, "sagan", lang)
    values: Locator = page.get_by_test_id("y")
    expect(values).to_have_text(page.get_by_test_id("x").inner_text())  # γ = 0: the input itself
    assert float(page.get_by_test_id("far").inner_text().rstrip("%")) > 50  # beyond what a convolution sees
    answer_quiz(page, 0)
    slide(page, "gamma", 0.5)
    expect(values).not_to_have_text(page.get_by_test_id("x").inner_text())
    page.locator("sagan-play figure").last.locator("rect.pick").nth(0).click()
    expect(page.get_by_test_id("row-shown")).to_have_text("1")
    expect(page.get_by_test_id("col-shown")).to_have_text("1")


@pytest.mark.parametrize("lang", LANGUAGES)
def test_sagan_shows_a_real_generator_and_what_convolutions_reach(lang: str, watched: Watched, served: Served):
    page = lesson(watched, served, "sagan", lang)
    beyond = [float(page.get_by_test_id(name).inner_text().rstrip("%")) for name in ("far", "real-far")]
    assert beyond[1] > 50  # a place of the real map looks further than a convolution, too
    slide(page, "layers", 5)
    watched.settle()
    for name, before in zip(("far", "real-far"), beyond, strict=True):
        assert float(page.get_by_test_id(name).inner_text().rstrip("%")) < before  # five convolutions see more
    shown = page.get_by_test_id("drawn").locator("rect.pick")
    expect(shown).to_have_count(14 * 14)
    first = shown.evaluate_all("all => all.map(one => one.getAttribute('fill-opacity')).join()")
    shown.nth(0).click()
    watched.settle()
    assert shown.evaluate_all("all => all.map(one => one.getAttribute('fill-opacity')).join()") != first
    expect(page.locator("sagan-play")).to_contain_text("14.0")


# ---------------------------------------------------------------- finding them, and phones


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_lesson_is_two_clicks_away(lang: str, watched: Watched, served: Served):
    page = watched.page
    page.goto(f"{served.url}?lang={lang}")
    page.get_by_role("link", name="Lessons" if lang == "en" else "강의", exact=True).click()
    watched.settle()
    links = page.locator("lessons-view nav a")
    expect(page.locator("lessons-view nav h2")).to_have_count(7)
    names = [str(link.get_attribute("href")).partition("lesson=")[2] for link in links.all()]
    assert set(COMPUTED) <= set(names)
    assert sorted(names) == sorted(name for name, _ in LESSONS)
    for name in names:
        page.locator(f"lessons-view nav a[href$='lesson={name}']").click()
        expect(page.locator(f"article[data-lesson={name}]")).to_be_visible()
        expect(page.locator("quiz-card input")).to_have_count(3)


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("name", COMPUTED)
def test_a_lesson_fits_a_phone(name: str, lang: str, watched: Watched, served: Served):
    watched.page.set_viewport_size(PHONE)
    assert_fits_a_phone(lesson(watched, served, name, lang))


def test_a_phone_has_a_menu_of_lessons(watched: Watched, served: Served):
    watched.page.set_viewport_size(PHONE)
    page = lesson(watched, served, "sagan")
    menu = page.locator("lessons-view nav select")
    expect(menu.locator("optgroup")).to_have_count(7)
    expect(menu).to_have_value("sagan")
    menu.select_option("scale")
    expect(page.locator("article[data-lesson=scale]")).to_be_visible()


# ---------------------------------------------------------------- copying


@pytest.mark.parametrize("lang", LANGUAGES)
def test_an_unknown_name_is_written_only_by_copying(lang: str, watched: Watched, served: Served):
    page = lesson(watched, served, "copying", lang)
    slide(page, "generate", 0.3)
    watched.settle()
    assert shown(page, "p-Corbadin") == pytest.approx(0.7 * 0.7, abs=0.005)
    assert shown(page, "p-library") == pytest.approx(0.3 * 0.3 + 0.7 * 0.1, abs=0.005)  # both ways add up
    expect(page.get_by_test_id("claim")).to_contain_text("Corbadin")
    slide(page, "generate", 1)
    expect(page.get_by_test_id("claim")).to_contain_text("<unk>")
    again = shown(page, "coverage-loss")
    choose(page, "new")
    watched.settle()
    assert shown(page, "coverage-loss") < again / 3
    answer_quiz(page, 1)
