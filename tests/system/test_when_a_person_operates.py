"""The operators' console in a real browser: from what is wrong to seeing that it is mended."""

import re
from secrets import token_hex

from playwright.async_api import Browser, expect

from tests.system.browser import PATIENCE_MS
from tests.system.client import Client
from tests.system.operating import (
    Operator,
    accepted_an_hour_ago,
    brought_back,
    locked,
    operator_of,
    without_their_bytes,
)
from tests.system.stack import Stack

LOST_BYTES = "The file is not in the store"
NEEDS_A_PASSWORD = "The PDF needs a password"
# Nothing comes through it while no file is split.
CALM = "ingest.split"


async def test_whoever_is_not_signed_in_signs_in_once_and_comes_back(
    browser: Browser, stack: Stack
) -> None:
    async with operator_of(browser, stack, place="#failures") as visit:
        await visit.reads("Failures")

        await visit.page.get_by_role("button", name="Sign out").click()

        await expect(visit.page.get_by_role("link", name="Sign in")).to_be_visible()
        await visit.look("console-sign-in-1280", schemes=("light",))


async def test_a_group_is_looked_into_tried_slowly_and_sent_back(
    client: Client, stack: Stack, olga: Operator
) -> None:
    documents = await without_their_bytes(client, stack, [f"gone-{n}.pdf" for n in range(4)])
    await brought_back(client, stack, documents[1:])
    await olga.goes_to("failures", "Failures")
    await olga.page.get_by_role("link", name=LOST_BYTES).click()
    await olga.reads(LOST_BYTES)
    await olga.act("stack").click()
    await expect(olga.page.get_by_role("region", name="Stack of")).to_contain_text(
        "FileNotFoundError"
    )
    for one in documents:
        [letter] = await client.letters(one)
        await olga.page.locator(f"#pick-{letter['letter_id']}").check()

    await olga.act("replay-picked").click()
    asking = olga.dialog("Replay: look first")
    await asking.get_by_label("Reason").fill("The store was brought back.")
    await asking.get_by_label("First alone").fill("1")
    await expect(olga.act("start")).to_be_disabled()
    await olga.act("dry-run").click()
    await expect(asking.locator('[data-found="4"]')).to_contain_text("4 letters found")
    await olga.look("console-dry-run-1280")
    await olga.act("start").click()

    await olga.reads("Replay 4 letters")
    paused = olga.page.locator('[data-state="paused"]')
    await expect(paused).to_be_visible(timeout=PATIENCE_MS)
    await expect(olga.page.locator("#progress-words")).to_contain_text("The first went alone")
    await olga.counts(sent=1, in_flight=0)
    await olga.act("resume").click()
    await expect(olga.page.locator('[data-state="completed"]')).to_be_visible(
        timeout=PATIENCE_MS
    )
    await olga.counts(total=4, sent=4, in_flight=0, done=3, refailed=1, skipped=0)
    await olga.look("console-operation-1280", schemes=("light",))
    # Promised once, bytes are there in the end.
    await brought_back(client, stack, documents[:1])


async def test_a_document_is_found_by_name_bytes_or_id_and_tells_every_attempt(
    client: Client, olga: Operator
) -> None:
    name = f"wanted-{token_hex(4)}.pdf"
    document_id = await locked(client, name)
    sha256 = (await client.document(document_id))["sha256"]
    await olga.page.keyboard.press("/")

    for words in (name[:12], sha256):
        await olga.page.get_by_label("Find a document").fill(words)
        await expect(olga.page.get_by_role("link", name=name)).to_be_visible()
    await olga.page.get_by_label("Find a document").fill(str(document_id))
    await olga.page.keyboard.press("Enter")

    await olga.reads(name)
    entries = olga.page.locator('[data-list="timeline"] > li')
    await expect(entries.first).to_contain_text("Accepted")
    gave_up = olga.page.locator('[data-kind="dead_letter"]')
    await expect(gave_up).to_contain_text("the PDF needs a password, after 1 attempt")
    await gave_up.get_by_role("link", name="Its letter").click()
    await olga.reads(re.compile("^Letter"))
    await expect(olga.page.get_by_text(NEEDS_A_PASSWORD).first).to_be_visible()


async def test_a_queue_is_paused_with_a_reason_and_taken_from_again(olga: Operator) -> None:
    await olga.goes_to("queues", "Queues and services")
    row = olga.queue(CALM)

    await row.get_by_role("button", name="Pause").click()
    await olga.answers("Pause “Splitting files”", "The disk is exchanged.", then="Pause")

    await expect(row).to_have_attribute("data-health", "paused", timeout=PATIENCE_MS)
    await expect(row).to_contain_text("paused by hand")
    await olga.goes_to("overview", "Overview")
    stopped = olga.page.locator(f'[data-trouble="pause-{CALM}"]')
    await expect(stopped).to_contain_text("The disk is exchanged.")
    await stopped.get_by_role("button", name="Resume").click()
    await olga.answers("Resume “Splitting files”", "It is exchanged.", then="Resume")
    await expect(stopped).to_be_hidden(timeout=PATIENCE_MS)


async def test_one_message_is_mended_and_the_record_says_by_whom_and_why(
    client: Client, olga: Operator
) -> None:
    document_id = await locked(client, "misnamed.pdf")
    [letter] = await client.letters(document_id)
    await olga.goes_to(f"letter/{letter['letter_id']}", f"Letter …{letter['letter_id'][-12:]}")

    await olga.act("edit").click()
    dialog = olga.dialog("Edit and replay")
    message = dialog.get_by_label("Message")
    await message.fill((await message.input_value()).replace("misnamed.pdf", "named.pdf"))
    await expect(dialog.locator("del")).to_have_text('"misnamed.pdf"')
    await expect(dialog.locator("ins")).to_have_text('"named.pdf"')
    await olga.look("console-mending-1280", schemes=("dark",))
    await dialog.get_by_label("Reason").fill("The sender took the wrong name.")
    await dialog.get_by_role("button", name="Send the mended message").click()

    await expect(dialog).to_be_hidden()
    await expect(olga.page.locator(".chips")).to_contain_text("Mended")
    await olga.goes_to("audit", "Audit")
    deed = olga.page.locator('[data-list="audit"] tbody tr').filter(has_text="letter edited")
    await expect(deed.first).to_contain_text("The sender took the wrong name.")


async def test_what_people_say_of_a_group_stands_where_everybody_looks(
    client: Client, olga: Operator
) -> None:
    [letter] = await client.letters(await locked(client, "said.pdf"))
    await olga.goes_to(f"group/{letter['fingerprint']}", NEEDS_A_PASSWORD)

    await olga.act("note").click()
    dialog = olga.dialog("What you say of this group")
    await dialog.get_by_label("Comment").fill("We asked for the <b>passwords</b>.")
    await dialog.get_by_label("Owner").fill("frida")
    await dialog.get_by_role("button", name="Save").click()

    said = olga.page.get_by_role("region", name="What people say")
    await expect(said).to_contain_text("We asked for the <b>passwords</b>.")
    await expect(said).to_contain_text("frida")
    await olga.goes_to("failures", "Failures")
    row = olga.page.locator(f'[data-group="{letter["fingerprint"]}"]')
    await expect(row).to_contain_text("We asked for the <b>passwords</b>.")


async def test_what_is_put_away_can_be_taken_out_even_where_nothing_is_told_live(
    client: Client, olga: Operator
) -> None:
    document_id = await locked(client, "put-away.pdf")
    [letter] = await client.letters(document_id)
    await olga.page.route("**/events", lambda route: route.fulfill(status=503))
    for act, title, state in (
        ("archive-picked", "Archive: look first", "archived"),
        ("unarchive", "Take out of the archive: look first", "open"),
    ):
        await olga.goes_to(f"group/{letter['fingerprint']}", NEEDS_A_PASSWORD)
        if act == "archive-picked":
            await olga.page.locator(f"#pick-{letter['letter_id']}").check()
        await olga.act(act).click()
        await olga.dialog(title).get_by_label("Reason").fill("Its sender was told.")
        await olga.act("dry-run").click()
        await olga.act("start").click()

        completed = olga.page.locator('[data-state="completed"]')
        await expect(completed).to_be_visible(timeout=PATIENCE_MS)
        assert (await client.letters(document_id))[0]["state"] == state


async def test_that_nothing_was_lost_is_proven_and_taken_away(
    client: Client, stack: Stack, olga: Operator
) -> None:
    # What was accepted in the last minutes is not counted yet.
    await accepted_an_hour_ago(stack, await locked(client, "proven.pdf"))
    await olga.goes_to("proof", "Proof")
    await expect(olga.page.locator("#verdict")).to_contain_text("accepted =")

    async with olga.page.expect_download() as table:
        await olga.page.get_by_role("link", name="Export as CSV").click()
    await olga.goes_to("audit", "Audit")
    await olga.act("verify").click()

    assert (await table.value).suggested_filename == "conservation.csv"
    await expect(olga.page.locator("#audit-proof")).to_contain_text("Intact")


async def test_of_a_period_without_documents_nothing_is_said_to_be_proven(
    olga: Operator,
) -> None:
    await olga.goes_to("proof", "Proof")

    await olga.page.get_by_label("From").fill("2999-01-01")
    await olga.act("prove").click()

    await expect(olga.page.locator("#verdict")).to_contain_text("Nothing to prove yet")


async def test_whoever_only_looks_sees_all_but_payloads_and_can_do_nothing(
    browser: Browser, stack: Stack, client: Client
) -> None:
    document_id = await locked(client, "looked-at.pdf")
    [letter] = await client.letters(document_id)
    places = {
        "overview": "Overview",
        f"group/{letter['fingerprint']}": NEEDS_A_PASSWORD,
        f"letter/{letter['letter_id']}": f"Letter …{letter['letter_id'][-12:]}",
        "queues": "Queues and services",
        f"document/{document_id}": "looked-at.pdf",
        "proof": "Proof",
    }
    async with operator_of(browser, stack, "viewer") as visit:
        for place, heading in places.items():
            await visit.goes_to(place, heading)
            await expect(visit.page.locator("main .card").first).to_be_visible()
            acts = visit.page.locator("main [data-act]:not([data-act=prove])")
            await expect(acts).to_have_count(0)

        statuses = await visit.page.evaluate(
            """async ([letter, queue]) => {
                const { csrf } = await (await fetch("/v1/session")).json();
                const headers = { "Content-Type": "application/json", "X-CSRF": csrf };
                const body = JSON.stringify({ reason: "I would like to." });
                const asked = (path) => fetch(path, { method: "POST", headers, body });
                return [
                    (await asked(`/ops/v1/dead-letters/${letter}/replay`)).status,
                    (await asked(`/ops/v1/queues/${queue}/pause`)).status,
                    (await fetch(`/ops/v1/dead-letters/${letter}/payload`)).status,
                ];
            }""",
            [letter["letter_id"], CALM],
        )

    assert statuses == [403, 403, 403]


async def test_everything_is_reached_with_keys(olga: Operator) -> None:
    keys = olga.page.get_by_role("dialog", name="Keys")
    await olga.page.keyboard.press("?")
    await expect(keys).to_be_visible()
    await olga.look("console-help-1280", schemes=("light",))
    await olga.page.keyboard.press("Escape")
    await expect(keys).to_be_hidden()

    for letter, heading in {"f": "Failures", "p": "Operations", "a": "Audit"}.items():
        await olga.page.keyboard.press("g")
        await olga.page.keyboard.press(letter)
        await olga.reads(heading)
        # Where the page begins to be read.
        await expect(olga.heading).to_be_focused()
