"""Lessons on the models that come with Jumok: each picture shows what its text claims."""

import math
import re
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Served, Watched
from tests.browser.test_computed_lessons import answer_quiz
from tests.browser.test_reading import PHONE, ROWS, assert_fits_a_phone

LANGUAGES = ("en", "ko")
# Whether the chosen view is in sight in the list of views, which scrolls.
IN_SIGHT = """() => {
  const root = document.querySelector("jumok-studio").shadowRoot;
  const [list, link] = ["nav", "nav a[aria-current]"].map((one) => root.querySelector(one).getBoundingClientRect());
  return link.left >= list.left - 1 && link.right <= list.right + 1;
}"""
MODELLED = (
    "bottleneck", "reversed-source", "attention", "word-order", "scores", "soft-hard-global-local",
    "teacher-forcing", "backpropagation", "self-attention", "multi-head", "transformer", "snail", "image-attention",
)  # fmt: skip


def opened(watched: Watched, served: Served, lesson: str, lang: str = "en", **state: object) -> Page:
    """A lesson, once everything it asked for is drawn."""
    watched.page.goto("about:blank")  # a link that differs after # only would not load the page again
    watched.page.goto(f"{served.url}?lang={lang}#{urlencode({'view': 'lessons', 'lesson': lesson, **state})}")
    return watched.settle()


def translated(watched: Watched, served: Served, lang: str, text: str) -> Page:
    """The page's translation of a sentence by the model with additive attention."""
    watched.page.goto(f"{served.url}?lang={lang}#{urlencode({'run': 'lesson-additive', 'text': text})}")
    return watched.settle()


def number(place: Locator, name: str) -> float:
    """A number that an element carries."""
    return float(place.get_attribute(f"data-{name}") or "nan")


@pytest.mark.parametrize("lang", LANGUAGES)
def test_without_attention_long_sentences_suffer_and_with_it_hardly(lang: str, watched: Watched, served: Served):
    page = opened(watched, served, "bottleneck", lang)
    none, additive = (page.locator(f"[data-testid=ends] li[data-model={name}]") for name in ("none", "additive"))
    assert number(none, "last") < 0.65 * number(none, "first")
    assert number(additive, "last") > 0.85 * number(additive, "first")
    assert number(additive, "last") > 2 * number(none, "last")
    zero = page.locator("bottleneck-play curve-chart svg.chart text").filter(has_text=re.compile("^0.0$"))
    expect(zero).to_have_count(1)  # the axis begins at 0
    lost, kept = page.locator("bottleneck-play").get_by_test_id("own").locator("strong").all_inner_texts()
    expect(page.locator("bottleneck-play")).to_contain_text("I go home.")
    assert kept == "저는 집에 가요."
    assert lost != kept  # one example, not the claim: that is the curve's
    page.locator("bottleneck-play input[type=range]").fill("9")
    expect(page.locator("chance-bars tbody tr")).not_to_have_count(0)
    assert "<unk>" not in page.locator("bottleneck-play").inner_text()
    answer_quiz(page, 1)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_reading_backwards_brings_the_first_words_together(lang: str, watched: Watched, served: Served):
    page = opened(watched, served, "reversed-source", lang, **{"p.way": "backwards"})
    expect(page.locator("reversed-play p strong").first).to_have_text("home. go I")
    page = opened(watched, served, "reversed-source", lang, **{"p.sentence": 5})
    distance = page.get_by_test_id("distance")
    assert number(distance, "distance") == 7
    page.locator("button[data-way=backwards]").click()
    expect(distance).to_have_attribute("data-distance", "0")
    first, every = page.get_by_test_id("first"), page.get_by_test_id("all")
    assert number(first, "backwards") > number(first, "forwards")
    assert number(every, "backwards") > number(every, "forwards")
    answer_quiz(page, 0)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_errors_pile_up_when_the_model_hears_its_own_words(lang: str, watched: Watched, served: Served):
    page = opened(watched, served, "teacher-forcing", lang)
    count = page.get_by_test_id("count")
    assert (number(count, "forced"), number(count, "free")) == (0, 5)
    expect(page.locator("forcing-play tr.seeded .off")).to_have_count(2)  # the wrong word is said either way
    heard = page.locator("forcing-play tbody tr").nth(2).locator("td").all_text_contents()
    assert heard[1] == page.locator("forcing-play tbody tr th").nth(1).text_content()  # the right word was fed in
    assert heard[4] != heard[1]
    page.locator("button[data-model=additive]").click()
    for place in (1, 2, 0):
        page.locator("forcing-play input[type=range]").first.fill(str(place))
        expect(count).to_have_attribute("data-free", "0")  # attention finds its way back
    half = page.locator("input[name=half]")
    half.fill("400")
    expect(page.locator("forcing-play code").first).to_have_text("train.teacher_forcing=linear:1->0@800")
    chart = page.locator("forcing-play curve-chart").last
    box = chart.locator("svg.chart").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] * 0.3, box["y"] + 60)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.75, box["y"] + 60, steps=4)
    page.mouse.up()
    assert int(page.get_by_test_id("half").inner_text()) > 1200
    watched.settle()
    chart.locator("summary", has_text=re.compile("Show as table|표로 보기")).click()
    expect(chart.locator("tbody tr")).not_to_have_count(0)
    answer_quiz(page, 1)


def test_the_schedules_drawn_are_those_of_training(watched: Watched, served: Served):
    from jumok.training.teacher_forcing import parse

    page = opened(watched, served, "teacher-forcing", **{"p.half": 500})
    settings = [code.split("=")[1] for code in page.locator("forcing-play code").all_text_contents()]
    series = page.locator("forcing-play curve-chart").last.evaluate("chart => chart.series.map(one => one.points)")
    assert len(series) == len(settings) == 4
    for setting, points in zip(settings, series, strict=True):
        used = parse(setting).probability
        assert [p for _, p in points] == pytest.approx([used(int(step)) for step, _ in points], abs=1e-6)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_one_update_corrects_a_wrong_look(lang: str, watched: Watched, served: Served):
    page = opened(watched, served, "backpropagation", lang)
    result = page.get_by_test_id("result")
    own, wrong, updated = (number(result, name) for name in ("own", "wrong", "updated"))
    assert own > 0.5 > 0.1 > wrong
    assert updated > 10 * wrong
    assert number(page.get_by_test_id("gap"), "gap") < 1e-5
    rows = page.locator("paths-play tr[data-token]")
    eating, apple = rows.nth(2).locator("[data-gradient]"), rows.nth(5).locator("[data-gradient]")
    assert number(eating, "gradient") > 0 > number(apple, "gradient")
    answer_quiz(page, 0)
    page.locator("input[name=rate]").fill("0")
    expect(result).to_have_attribute("data-updated", str(wrong))  # no step, no change


@pytest.mark.parametrize("lang", LANGUAGES)
def test_soft_hard_and_local_look_differently(lang: str, watched: Watched, served: Served):
    page = opened(watched, served, "soft-hard-global-local", lang, **{"p.step": 1})
    card = {name: page.locator(f"looks-play section[data-model={name}]") for name in ("additive", "hard", "local")}
    seen = {name: number(one.get_by_test_id("seen"), "seen") for name, one in card.items()}
    assert seen["additive"] == number(card["additive"].get_by_test_id("seen"), "all")
    assert seen["hard"] == 1
    assert 1 < seen["local"] < seen["additive"]
    expect(card["hard"].locator("rect.chance")).not_to_have_count(0)
    expect(card["local"].locator("path.gauss")).to_have_count(1)
    expect(card["local"].get_by_test_id("window")).to_contain_text("D = 3")
    assert number(card["hard"], "aer") < 0.35  # it looks at the right columns
    places = int(seen["additive"])
    before = card["local"].get_by_test_id("centre").get_attribute("data-centre")
    page.locator("looks-play input[name=step]").fill("3")
    expect(card["local"].get_by_test_id("centre")).not_to_have_attribute("data-centre", before or "")
    page.locator("looks-play input[name=step]").fill("5")  # the verb: the predicted centre misses it, as the text says
    expect(card["local"].get_by_test_id("most")).to_have_attribute("data-place", str(places - 1))
    expect(card["additive"].get_by_test_id("most")).to_have_attribute("data-place", "2")
    answer_quiz(page, 1)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_green_apple_is_known_and_the_decoders_rows_are_explained(lang: str, watched: Watched, served: Served):
    page = opened(watched, served, "self-attention", lang)
    expect(page.locator("heads-play input[type=text]")).to_have_value("She is eating a green apple.")
    expect(page.locator("heads-play")).to_contain_text("그녀는 초록색 사과를 먹고 있어요.")
    rows = page.locator("heads-play heat-map").evaluate(ROWS)
    _, _, eating, _, _, apple, *_ = rows
    assert max(eating) == eating[5] > 1.5 * eating[4]  # “apple” is further away than “green”, and gets more attention
    assert apple[4] > 0.9  # “apple” looks at “green”
    expect(page.locator("map-controls input[type=checkbox]")).to_have_count(0)  # no gold links within a sentence
    expect(page.get_by_test_id("looks")).to_have_text(re.compile(r"^eating → apple\.\s+0\.\d\d"))
    page.locator("heads-play select[name=head]").select_option("3")
    watched.settle()
    assert page.locator("heads-play heat-map").evaluate(ROWS)[2][5] < 0.1  # another head looks elsewhere
    page.locator("heads-play select[name=kind]").select_option("decoder")
    expect(page.get_by_test_id("shifted")).to_be_visible()
    expect(page.locator("sentence-links text.lit")).to_have_count(0)  # the encoder's chosen row is left behind
    rows = page.locator("heads-play heat-map").evaluate("map => map.picture.rows")
    assert rows[:2] == ["그녀는 (<s>)", "초록색 (그녀는)"]
    for place, row in enumerate(page.locator("heads-play heat-map").evaluate(ROWS)):
        assert sum(row[place + 1 :]) == 0  # nothing that is not yet written
    answer_quiz(page, 0)


def test_the_map_names_what_its_links_show(watched: Watched, served: Served):
    page = watched.page
    page.goto(served.link(run="lesson-additive", text="She is eating a green apple."))
    watched.settle()
    marks = page.get_by_test_id("marks")
    order = marks.locator("[data-mark=order]")
    expect(order).to_contain_text("eating ⤫ apple.")
    expect(marks.locator("[data-mark=skipped]")).to_contain_text("a")
    signs = page.locator("translate-view heat-map").first.evaluate("map => map.picture.signs")
    assert any("×" in sign["text"] for sign in signs)
    page.locator("map-marks input[name=marks]").uncheck()
    assert page.locator("translate-view heat-map").first.evaluate("map => map.picture.signs ?? null") is None


@pytest.mark.parametrize("lang", LANGUAGES)
def test_one_word_becomes_several_and_several_become_one(lang: str, watched: Watched, served: Served):
    page = translated(watched, served, lang, "Can the soldiers work today?")
    page.get_by_role("button", name="Two women wrote a book last year.").click()
    watched.settle()
    marks = page.get_by_test_id("marks")
    expect(marks.locator("[data-mark=one-to-many]")).to_have_text("women → 여자 명이")
    expect(marks.locator("[data-mark=many-to-one]")).to_have_text("last year. → 작년에")
    expect(marks.locator("[data-mark=skipped]")).to_have_text("a")
    rows = page.locator("translate-view heat-map").first.evaluate(ROWS)
    last, year = rows[3][5:7]  # the weights themselves say so: both words share the row of 작년에
    assert last + year > 0.8
    peaks = [row.index(max(row)) for row in rows]
    assert len(set(peaks)) < len(peaks)  # and one source word leads in several rows
    assert max(row[3] for row in rows) < 0.2  # “a” is skipped


def marked(page: Page) -> dict[str, list[str]]:
    """What the lesson on word order names, by the kind of mark."""
    shown = page.locator("order-play [data-mark]").all()
    found = {str(one.get_attribute("data-mark")): one.inner_text() for one in shown if number(one, "count") > 0}
    return {mark: text.split(" · ") for mark, text in found.items()}


@pytest.mark.parametrize("lang", LANGUAGES)
def test_word_order_is_named_on_the_map(lang: str, watched: Watched, served: Served):
    page = opened(watched, served, "word-order", lang)
    expect(page.get_by_test_id("own")).to_have_text("여자 두 명이 작년에 책을 썼어요.")
    marks = marked(page)
    assert "Two ⤫ women" in marks["order"]
    assert marks["skipped"] == ["a"]
    assert marks["one-to-many"] == ["women → 여자 명이"]
    assert marks["many-to-one"] == ["last year. → 작년에"]
    rows = page.locator("order-play heat-map").evaluate(ROWS)
    assert sum(rows[3][5:7]) > 0.8  # 작년에 at both words
    assert max(row[3] for row in rows) < 0.2  # nothing at “a”
    signs = page.locator("order-play heat-map").evaluate("map => map.picture.signs")
    assert {"×", "1:n", "n:1"} <= {word for sign in signs for word in sign["text"].split()}
    page.locator("button[data-choice=attention]").click()
    watched.settle()
    assert marked(page)["one-to-many"] == ["Two → 두 명이"]  # the text says where the two differ
    assert marked(page)["skipped"] == ["a", "year."]
    assert rows[2][0] == max(rows[2])
    assert f"{rows[3][6]:.2f}" == "0.18"
    answer_quiz(page, 1)
    page.locator("order-play input[name=marks]").uncheck()
    assert page.locator("order-play heat-map").evaluate("map => map.picture.signs ?? null") is None


@pytest.mark.parametrize("lang", LANGUAGES)
def test_another_sentence_has_other_marks(lang: str, watched: Watched, served: Served):
    page = opened(watched, served, "word-order", lang)
    before = marked(page)
    page.locator("order-play button[data-sentence]", has_text="green apple").click()
    watched.settle()
    expect(page.get_by_test_id("own")).to_have_text("그녀는 초록색 사과를 먹고 있어요.")
    after = marked(page)
    assert after != before
    assert "eating ⤫ apple." in after["order"]
    page.locator("order-play input[type=text]").fill("The teacher reads a book.")
    page.locator("order-play form button").click()
    watched.settle()
    assert marked(page)["skipped"] == ["The", "a"]
    assert "text=The+teacher+reads+a+book." in page.url


@pytest.mark.parametrize("lang", LANGUAGES)
def test_word_order_is_marked_on_a_phone_too(lang: str, watched: Watched, served: Served):
    watched.page.set_viewport_size(PHONE)
    page = opened(watched, served, "word-order", lang)
    assert marked(page)["skipped"] == ["a"]
    for part in ("sentence-links svg[role=img]", "heat-map canvas", "map-marks dl"):
        box = page.locator(f"order-play {part}").bounding_box()
        assert box is not None
        assert box["width"] <= PHONE["width"]
    page.locator("order-play button[data-sentence]", has_text="green apple").click()
    watched.settle()
    assert "eating ⤫ apple." in marked(page)["order"]
    assert_fits_a_phone(page)


# ---------------------------------------------------------------- one sentence, several models


def numbers(page: Page, stage: str) -> list[float]:
    """The numbers by source word at which a stage of the step player arrives."""
    shown = page.locator(f"li[data-stage={stage}] term-view").last.locator("li .num").all_inner_texts()
    return [float(text.replace("−", "-")) for text in shown]


def maps(page: Page) -> list[list[list[float]]]:
    """The weights of each map of the lesson, row by row."""
    return [one.evaluate(ROWS) for one in page.locator("sentence-play heat-map").all()]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_attention_is_computed_again_for_each_word(lang: str, watched: Watched, served: Served):
    page = opened(watched, served, "attention", lang)
    (rows,) = maps(page)  # the model without attention has none
    for row in rows:
        assert sum(row) == pytest.approx(1, abs=1e-3)  # with the column of </s>
    assert len({row.index(max(row)) for row in rows}) > 2
    chances = [float(text.rstrip("%")) for text in page.locator("chance-bars tbody td:not(.bar)").all_inner_texts()]
    assert sum(chances[1::2]) > sum(chances[::2])  # the correct words are likelier with attention
    text = page.locator("article").inner_text()
    assert "0.85 h₁ + 0.08 h₂ + 0.04 h₃ + 0.03 h₄" in text
    assert ("Step by step" if lang == "en" else "단계별 계산") in text
    answer_quiz(page, 2)
    sentence = page.locator("sentence-play input[type=text]").input_value()
    page.locator("sentence-play a[href*='view=steps']").click()  # the player, with this model and this sentence
    watched.settle()
    expect(page.locator("steps-view")).to_be_visible()
    assert f"run=lesson-additive&text={sentence.replace(' ', '+').replace('?', '%3F')}" in page.url


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_player_asks_again_with_each_state_of_the_decoder(lang: str, watched: Watched, served: Served):
    page = translated(watched, served, lang, "She is eating a green apple.")
    page.locator("a[data-view=steps]").click()  # one click from a translation
    watched.settle()
    page.locator("steps-view input[name=all]").check()
    queries, peaks = set(), []
    tokens = page.locator("steps-view ol.written li").all_inner_texts()
    for place, token in enumerate(tokens):
        expect(page.get_by_test_id("position")).to_have_text(f"{place + 1} / {len(tokens)}")
        watched.settle()
        queries.add(page.locator("li[data-stage=score] term-view").first.locator("p.num").inner_text())
        scores, weights = (numbers(page, stage) for stage in ("score", "align"))
        powers = [math.exp(score - max(scores)) for score in scores]
        assert weights == pytest.approx([power / sum(powers) for power in powers], abs=2e-3)
        assert sum(weights) == pytest.approx(1, abs=1e-3)
        peaks.append(weights.index(max(weights)))
        # the context vector and the decoder's state give the word
        assert page.locator("steps-view word-chances tbody tr").first.inner_text().startswith(token)
        if place + 1 < len(tokens):
            page.locator("steps-view .player button").last.click()
    assert len(queries) == len(tokens)
    assert peaks[:5] == [0, 4, 5, 2, 1]  # 그녀는 초록색 사과를 먹고 있어요.


@pytest.mark.parametrize("lang", LANGUAGES)
def test_three_models_are_shown_with_the_formula_of_their_score(lang: str, watched: Watched, served: Served):
    page = opened(watched, served, "scores", lang)
    formulas = [one.get_attribute("aria-label") for one in page.locator("sentence-play math").all()]
    assert formulas == ["qᵀ k_i", "qᵀ W k_i", "v_aᵀ tanh(W_q q + W_k k_i)"]  # only the first has no parameters
    found = maps(page)
    for rows in found:
        for row in rows:
            assert sum(row) == pytest.approx(1, abs=1e-3)
    assert found[0] != found[1] != found[2]
    more = page.locator("article > p").nth(1)  # the score is not all that differs
    expect(more).to_contain_text("GRU")
    expect(more).to_contain_text("LSTM")
    answer_quiz(page, 0)
    expect(page.get_by_test_id("verdict")).to_contain_text("va")  # v with a subscript


@pytest.mark.parametrize("lang", LANGUAGES)
def test_heads_share_the_width_and_differ_from_their_mean(lang: str, watched: Watched, served: Served):
    page = opened(watched, served, "multi-head", lang)
    found = [int(text) for text in re.findall(r"\d+", page.get_by_test_id("width").inner_text())]
    assert found == [64, 4, 16]  # width, heads, width of a head
    shown = page.locator("heads-play heat-map")
    peaks = []
    for button in page.locator("head-grid .line").last.locator("button").all():  # the mean, then each head
        button.click()
        watched.settle()
        peaks.append([row.index(max(row)) for row in shown.evaluate(ROWS)])
    assert any(head != peaks[0] for head in peaks[1:])  # what the mean hides
    page.locator("heads-play select").first.select_option("0")
    expect(page.get_by_test_id("width")).to_contain_text("64")
    watched.settle()
    assert [int(text) for text in re.findall(r"\d+", page.get_by_test_id("width").inner_text())] == [64, 1, 64]
    answer_quiz(page, 1)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_both_models_let_the_target_look_at_the_source(lang: str, watched: Watched, served: Served):
    page = opened(watched, served, "transformer", lang)
    axes = page.locator("sentence-play heat-map").evaluate_all(
        "maps => maps.map(map => [map.picture.rows, map.picture.cols])"
    )
    assert len(axes) == 2
    assert axes[0] == axes[1]
    for rows, columns in axes:
        assert all(re.search("[가-힣]", word) for word in rows)
        assert columns[-1] == "</s>"
        assert not any(re.search("[가-힣]", word) for word in columns)
    answer_quiz(page, 0)


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("name", MODELLED)
def test_a_lesson_with_models_fits_a_phone(name: str, lang: str, watched: Watched, served: Served):
    watched.page.set_viewport_size(PHONE)
    page = opened(watched, served, name, lang)
    assert_fits_a_phone(page)
    assert page.evaluate(IN_SIGHT)


TABLES = [("backpropagation", "paths-play", 2), ("snail", "episode-board", 1), ("copying", "copying-play", 2)]
# How much wider than its window each part is that can be moved sideways.
BEYOND = "all => all.map(one => one.scrollWidth - one.clientWidth)"


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize(("name", "picture", "count"), TABLES)
def test_a_phone_shows_whole_tables(name: str, picture: str, count: int, lang: str, watched: Watched, served: Served):
    watched.page.set_viewport_size(PHONE)
    page = opened(watched, served, name, lang)
    beyond = page.locator(f"{picture} .scroll").evaluate_all(BEYOND)
    assert len(beyond) == count
    assert max(beyond) <= 0  # the answer to the question stands in the last column
    assert_fits_a_phone(page)
