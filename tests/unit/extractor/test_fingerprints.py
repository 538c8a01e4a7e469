"""The same page scanned again looks the same from afar, another page does not."""

import json
from dataclasses import replace
from io import BytesIO
from random import Random

import numpy as np
import pytest
from PIL import Image, ImageFilter

from services.extractor.adapters.parser.answers import heard, told
from services.extractor.adapters.parser.fingerprints import fingerprint
from services.extractor.domain.reading import Page, Reading
from shared.errors import Rejected
from tests.unit.extractor.pictures import INVOICE, drawn

PAGE = Page(1, 595, 842, "ocr", "00ff00ff00ff00ff")


def page(*lines: str) -> Image.Image:
    return drawn(*lines, *[""] * (22 - len(lines)), width=1000)


def scanned_again(picture: Image.Image, seed: int) -> Image.Image:
    """Askew, greyer, grainy, and through a JPEG."""
    chance, grain = Random(seed), np.random.default_rng(seed)
    askew = picture.convert("L").rotate(chance.uniform(-0.5, 0.5), fillcolor=250)
    shades = np.asarray(askew, float) * chance.uniform(0.85, 0.95) + grain.normal(8, 6)
    lamp = np.linspace(0, chance.uniform(0, 8), askew.width)
    grey = Image.fromarray(np.clip(shades - lamp, 0, 255).astype(np.uint8))
    file = BytesIO()
    grey.filter(ImageFilter.GaussianBlur(0.7)).save(file, "JPEG", quality=60)
    return Image.open(file)


def apart(one: Image.Image, other: Image.Image) -> int:
    mine, theirs = fingerprint(one), fingerprint(other)
    assert mine is not None and theirs is not None
    return (int(mine, 16) ^ int(theirs, 16)).bit_count()


@pytest.mark.parametrize("seed", range(8))
def test_a_page_that_is_scanned_again_differs_in_few_bits(seed: int) -> None:
    picture = page(*INVOICE)

    assert apart(picture, scanned_again(picture, seed)) <= 4


def test_another_page_differs_in_many() -> None:
    turned_over = page(*[""] * 12, *INVOICE)

    assert apart(page(*INVOICE), turned_over) > 4


@pytest.mark.parametrize("shade", [0, 128, 255])
def test_a_page_on_which_nothing_stands_out_has_none(shade: int) -> None:
    assert fingerprint(Image.new("L", (1000, 1414), shade)) is None


@pytest.mark.parametrize("quarters", [1, 2, 3])
def test_a_page_that_lies_on_its_side_looks_as_it_does_upright(quarters: int) -> None:
    picture = page(*INVOICE)
    on_its_side = picture.rotate(-90 * quarters, expand=True)

    assert fingerprint(on_its_side, quarters) == fingerprint(picture)
    assert fingerprint(on_its_side) != fingerprint(picture)


def test_it_leaves_the_child_with_its_page_and_an_older_answer_has_none() -> None:
    answer = json.loads(json.dumps(told(Reading("offline", 1, pages=(PAGE,)))))
    of_before = json.loads(json.dumps(answer))
    del of_before["pages"][0]["fingerprint"]

    assert heard(answer).pages == (PAGE,)
    assert heard(of_before).pages == (replace(PAGE, fingerprint=None),)


@pytest.mark.parametrize("wrong", ["00FF00FF00FF00FF", "00", "zz" * 8, 17])
def test_what_is_no_fingerprint_is_no_answer(wrong: object) -> None:
    answer = told(Reading("offline", 1, pages=(PAGE,)))
    answer["pages"][0]["fingerprint"] = wrong

    with pytest.raises(Rejected, match="parser_crashed"):
        heard(answer)
