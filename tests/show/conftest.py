"""A real browser for the tests of pages."""

import os
from pathlib import Path

import pytest

CHROMIUM = Path("/usr/bin/chromium")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def browser():
    """Return a running browser; where there is none, say so, and fail in CI."""
    if not CHROMIUM.exists():
        reason = f"no browser at {CHROMIUM}; install Debian's package chromium"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def visit(browser, tmp_path):
    """Return a function that opens HTML from disk; the page must stay silent to the end."""
    pages, noises = [], []

    def opened(html, width=1280, height=860, **options):
        path = tmp_path / f"page{len(pages)}.html"
        path.write_text(html, encoding="utf-8")
        page = browser.new_page(viewport={"width": width, "height": height}, **options)
        pages.append(page)
        page.on("request", lambda request: noises.append(("request", request.url)))
        page.on("console", lambda message: noises.append(("console", message.text)))
        page.on("pageerror", lambda error: noises.append(("error", str(error))))
        page.on("dialog", lambda dialog: (noises.append(("dialog", "")), dialog.dismiss()))
        page.goto(path.as_uri())
        assert ("request", path.as_uri()) in noises
        noises.remove(("request", path.as_uri()))
        return page

    yield opened
    for page in pages:
        page.close()
    assert noises == []
