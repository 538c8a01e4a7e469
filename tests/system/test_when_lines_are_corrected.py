"""The lines of an invoice at the review desk, and words of its page that fill a field."""

import pytest
from playwright.async_api import Locator, expect

from tests.system.client import Client
from tests.system.invoices import SAMPLES, invoice
from tests.system.reviewing import Reviewer

pytestmark = pytest.mark.usefixtures("nothing_waits")

GERMAN = SAMPLES / "de-nordwind-werkzeuge.pdf"
PASTE = """
(text) => {
  const clipboardData = new DataTransfer();
  clipboardData.setData("text/plain", text);
  const how = { clipboardData, bubbles: true, cancelable: true };
  document.activeElement.dispatchEvent(new ClipboardEvent("paste", how));
}
"""
PLACE = """
(page, [x, y]) => {
  const mark = document.createElement("div");
  Object.assign(mark.style, { position: "absolute", left: `${100 * x}%`, top: `${100 * y}%` });
  page.append(mark);
  const { left, top } = mark.getBoundingClientRect();
  mark.remove();
  return [left, top];
}
"""
READ_AMOUNTS = """
async (texts) => {
  const { amount, written } = await import("/page/sums.js");
  return texts.map((text) => amount(text) === null ? null : written(amount(text)));
}
"""
READ_PARTS = """
async ([text, last]) => (await import("/page/dialogs.js")).partsOf(text, last)
"""


async def test_rows_come_and_go_and_the_sum_says_what_is_missing(
    client: Client, anna: Reviewer
) -> None:
    document_id = await client.to_review(invoice(), filename="rows.pdf")
    await anna.open_item(document_id)
    await expect(badge(anna)).to_have_text("Sums agree")
    await anna.entry("lines.2.net_amount").focus()

    await anna.press("Alt+Shift+Enter")
    await expect(anna.entry("lines.3.net_amount")).to_have_value("6.00")
    await expect(badge(anna)).to_have_text("Σ 285.40: 6.00 apart")
    await anna.press("Alt+Backspace")
    await expect(badge(anna)).to_have_text("Sums agree")
    await anna.press("Alt+Enter")
    await expect(anna.entry("lines.3.description")).to_be_focused()
    await expect(anna.entry("lines.3.description")).to_have_value("")

    await anna.press("Control+z")
    await expect(anna.entry("lines.3.description")).to_have_count(0)
    await anna.entry("lines.2.net_amount").fill("7,00")
    await expect(badge(anna)).to_have_text("Σ 280.40: 1.00 apart")


async def test_what_was_one_line_on_paper_is_one_line_again(
    client: Client, anna: Reviewer
) -> None:
    """A name that went on in the next line was read as a row of its own."""
    document_id = await client.to_review(invoice(), filename="torn.pdf")
    await anna.open_item(document_id)
    await expect(badge(anna)).to_have_text("Sums agree")
    name = anna.entry("lines.2.description")
    whole = await name.input_value()
    begun, _, rest = whole.rpartition(" ")
    await name.focus()
    await anna.press("Alt+Enter")
    await expect(anna.entry("lines.3.description")).to_be_focused()
    await anna.type(rest)
    await name.fill(begun)
    await anna.entry("lines.3.description").focus()

    await anna.press("Alt+ArrowUp")

    await expect(anna.entry("lines.3.description")).to_have_count(0)
    await expect(name).to_have_value(whole)
    await expect(name).to_be_focused()
    await expect(badge(anna)).to_have_text("Sums agree")
    await anna.is_saved()
    await anna.press("Control+z")
    await expect(anna.entry("lines.3.description")).to_have_value(rest)
    await expect(name).to_have_value(begun)


async def test_what_is_being_typed_stays_when_a_row_is_added(
    client: Client, anna: Reviewer
) -> None:
    document_id = await client.to_review(invoice(), filename="typed.pdf")
    await anna.open_item(document_id)
    await anna.entry("lines.2.description").fill("Ribbon")

    await anna.press("Alt+Enter")

    await expect(anna.entry("lines.3.description")).to_be_focused()
    await expect(anna.entry("lines.2.description")).to_have_value("Ribbon")


async def test_cells_of_a_spreadsheet_are_pasted(client: Client, anna: Reviewer) -> None:
    document_id = await client.to_review(invoice(), filename="pasted.pdf")
    await anna.open_item(document_id)
    await anna.entry("lines.2.description").focus()

    cells = "Net\tDescription\tQty\n6.00\tWrapping paper\t2\n1.50\tRibbon\t3\n"
    await anna.page.evaluate(PASTE, cells)

    await expect(anna.entry("lines.2.description")).to_have_value("Wrapping paper")
    await expect(anna.entry("lines.3.description")).to_have_value("Ribbon")
    await expect(anna.entry("lines.3.net_amount")).to_have_value("1.50")
    await expect(anna.entry("lines.3.quantity")).to_have_value("3")
    await anna.look("lines-1280")
    kept = (await client.get("review", f"/v1/items/{document_id}"))["fields"]
    assert {one["path"]: one["value"] for one in kept}["lines.3.description"] == "Ribbon"


async def test_words_of_the_page_fill_the_field(client: Client, anna: Reviewer) -> None:
    document_id = await client.to_review(invoice(GERMAN), filename="pointed.pdf")
    await anna.open_item(document_id)
    found = await client.get("review", f"/v1/items/{document_id}/pages/1/words")
    boxes = {one["text"]: one["bbox"] for one in found["words"]}
    page = anna.page.locator(".page").first
    await anna.entry("buyer.name").focus()

    await point_at(anna, page, boxes["Tischlerei"])
    await expect(anna.entry("buyer.name")).to_have_value("Tischlerei")
    await expect(anna.entry("buyer.name")).to_be_focused()
    await drag(anna, page, boxes["Tischlerei"], boxes["Amselgrund"])
    await expect(anna.entry("buyer.name")).to_have_value("Tischlerei Amselgrund")
    await anna.press("Alt+r")
    await drag(anna, page, boxes["Tischlerei"], boxes["Tischlerei"])
    await expect(anna.entry("buyer.name")).to_have_value("Tischlerei")

    await anna.press("ArrowDown")
    await anna.is_saved()
    kept = (await client.get("review", f"/v1/items/{document_id}"))["fields"]
    [buyer] = [one for one in kept if one["path"] == "buyer.name"]
    assert buyer["value"] == "Tischlerei"
    assert buyer["evidence"][0]["bbox"] == pytest.approx(boxes["Tischlerei"], abs=0.001)


async def test_amounts_are_read_as_people_write_them(anna: Reviewer) -> None:
    told = {
        "1.234,56 €": "1234.56",
        "1,234.56": "1234.56",
        "1.234.567": "1234567.00",
        "-12,5": "−12.50",
        "0.0005": "0.0005",
        "12 000,00": "12000.00",
        "CHF 1'250.40": "1250.40",
        "none": None,
        "": None,
    }

    assert await anna.page.evaluate(READ_AMOUNTS, list(told)) == list(told.values())


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("1-2; 3", [{"pages": [1, 2]}, {"pages": [3]}]),
        ("3; 1,2", [{"pages": [3]}, {"pages": [1, 2]}]),
        ("1-3", None),
        ("1; 1", None),
        ("1; 9", None),
        ("2-1; 3", None),
        ("one; two", None),
    ],
)
async def test_parts_are_read_only_when_each_page_is_named_once(
    anna: Reviewer, text: str, parts: list[object] | None
) -> None:
    assert await anna.page.evaluate(READ_PARTS, [text, 3]) == parts


def badge(anna: Reviewer) -> Locator:
    return anna.page.locator(".group-lines .difference")


async def point_at(anna: Reviewer, page: Locator, bbox: list[float]) -> None:
    await anna.page.mouse.click(*await place(page, bbox))


async def drag(anna: Reviewer, page: Locator, first: list[float], last: list[float]) -> None:
    """From before the first word to behind the last; turned pages are dragged over the same."""
    left, top, _, _ = first
    _, _, right, bottom = last
    corners = ((left - 0.005, top - 0.004), (right + 0.005, bottom + 0.004))
    begin, end = [await place(page, [x, y, x, y]) for x, y in corners]
    await anna.page.mouse.move(*begin)
    await anna.page.mouse.down()
    await anna.page.mouse.move(*end, steps=5)
    await anna.page.mouse.up()


async def place(page: Locator, bbox: list[float]) -> tuple[float, float]:
    """Where the middle of the box is on the screen, however the page is turned."""
    middle = [(bbox[0] + bbox[2]) / 2, (bbox[1] + bbox[3]) / 2]
    found = await page.evaluate(
        PLACE,
        middle,
    )
    return found[0], found[1]
