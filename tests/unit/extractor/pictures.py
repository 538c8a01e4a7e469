"""Pages as pictures: the lines of an invoice drawn with the font that Pillow brings."""

import io

from PIL import Image, ImageDraw, ImageFont

INVOICE = (
    "Acme Widgets GmbH",
    "Rechnung Nr. 2024-117",
    "Datum: 05.03.2024",
    "Netto 1.000,00 EUR",
    "MwSt 19% 190,00 EUR",
    "Gesamtbetrag 1.190,00 EUR",
)
HEIGHT = 56


def drawn(*lines: str, size: int = 30, width: int = 900) -> Image.Image:
    picture = Image.new("RGB", (width, HEIGHT * len(lines) + 80), "white")
    pen, font = ImageDraw.Draw(picture), ImageFont.load_default(size)
    for row, line in enumerate(lines):
        pen.text((60, 40 + row * HEIGHT), line, fill="black", font=font)
    return picture


def saved(picture: Image.Image, kind: str, **options: object) -> bytes:
    sheet = io.BytesIO()
    picture.save(sheet, kind, **options)
    return sheet.getvalue()
