"""The studio with no model at all: the page says what is being trained and shows it as soon as it can be asked."""

from pathlib import Path

from playwright.sync_api import BrowserContext, expect

from tests.browser.conftest import Watched, running


def test_the_first_training_is_followed_on_the_page(context: BrowserContext, tmp_path: Path):
    with running([], tmp_path) as url:
        watched = Watched(context.new_page(), url.rstrip("/")).watch()
        page = watched.page
        page.goto(url)
        expect(page.locator("job-progress progress")).to_be_visible()
        expect(page.get_by_text("being trained now").or_(page.get_by_text("no weights yet"))).to_be_visible()
        # The run's folder comes a little later; the page finds it by itself.
        expect(page.locator("subject-bar select[name=run]")).to_contain_text("demo", timeout=240_000)
        expect(page.locator("job-progress progress")).to_be_visible()
        page.locator("a[data-view=learn]").click()
        expect(page.locator("learn-view")).to_be_visible()
        page.locator("job-progress").get_by_role("button", name="Stop").click()
        expect(page.locator("job-progress")).to_have_count(0, timeout=120_000)
        page.locator("a[data-view=translate]").click()
        # What was stopped can be gone on with, on the page, unless it had weights already.
        way_on = page.get_by_test_id("train-demo")
        expect(way_on.or_(page.get_by_test_id("output")).first).to_be_visible()
        if way_on.is_visible():
            expect(page.get_by_text("Training was stopped")).to_be_visible()
            way_on.click()
            expect(page.locator("job-progress progress")).to_be_visible()
        assert (watched.complaints, watched.dialogs, watched.elsewhere) == ([], [], [])
