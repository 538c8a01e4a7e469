"""PDFs with a lock on them, and what is read of one without."""

import io
from hashlib import sha256, sha384, sha512

import pypdfium2
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas

PASSWORD = "50% ünlocked canary-7f3a"


def locked(password: str = PASSWORD, *, owner: str = "the owner", strength: int = 128) -> bytes:
    sheet = io.BytesIO()
    lock = StandardEncryption(password, ownerPassword=owner, strength=strength)
    canvas = Canvas(sheet, encrypt=lock)
    canvas.drawString(100, 700, "Total 119.00 EUR")
    canvas.save()
    return sheet.getvalue()


LOCKED = locked()


def text_of(data: bytes) -> str:
    with pypdfium2.PdfDocument(data) as document:
        return str(document[0].get_textpage().get_text_range())


def locked_by_aes(password: str = PASSWORD, *, owner: str = "the owner") -> bytes:
    """As PDF 2.0 does it (ISO 32000-2, 7.6.4.4): AES-256, revision 6."""
    key, salts = sha256(b"the file's own").digest(), b"salt of a kind!!"
    user_value, user_key = _lock_of(password.encode(), key, salts, b"")
    owner_value, owner_key = _lock_of(owner.encode(), key, salts[::-1], user_value)
    allowed = b"\xfc\xff\xff\xff" + b"\xff" * 4 + b"Tadb" + b"four"
    permissions = _aes(key, bytes(16), allowed)
    text = b"BT /F1 12 Tf 100 700 Td (Total 119.00 EUR) Tj ET"
    vector = bytes(range(16))
    padding = 16 - len(text) % 16
    sealed = vector + _aes(key, vector, text + bytes([padding]) * padding)
    return _written(
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R"
        b"/Resources<</Font<</F1 5 0 R>>>>>>",
        b"<</Length %d>>stream\n%s\nendstream" % (len(sealed), sealed),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        b"<</Filter/Standard/V 5/R 6/Length 256/P -4/StmF/StdCF/StrF/StdCF"
        b"/CF<</StdCF<</CFM/AESV3/AuthEvent/DocOpen/Length 32>>>>"
        b"/U<%s>/UE<%s>/O<%s>/OE<%s>/Perms<%s>>>"
        % tuple(
            one.hex().encode()
            for one in (user_value, user_key, owner_value, owner_key, permissions)
        ),
    )


def _lock_of(password: bytes, key: bytes, salts: bytes, user: bytes) -> tuple[bytes, bytes]:
    """What a password is checked against, and the file's key as only that password opens it."""
    validation, wrapping = salts[:8], salts[8:]
    value = _hardened(password, validation, user) + salts
    return value, _aes(_hardened(password, wrapping, user), bytes(16), key)


def _hardened(password: bytes, salt: bytes, user: bytes) -> bytes:
    digest, rounds, last = sha256(password + salt + user).digest(), 0, 0
    while rounds < 64 or last > rounds - 32:
        mixed = _aes(digest[:16], digest[16:32], (password + digest + user) * 64)
        digest = (sha256, sha384, sha512)[sum(mixed[:16]) % 3](mixed).digest()
        rounds, last = rounds + 1, mixed[-1]
    return digest[:32]


def _aes(key: bytes, vector: bytes, data: bytes) -> bytes:
    lock = Cipher(algorithms.AES(key), modes.CBC(vector)).encryptor()
    return lock.update(data) + lock.finalize()


def _written(*bodies: bytes) -> bytes:
    """The last of these is the lock."""
    file, places = bytearray(b"%PDF-2.0\n"), []
    for number, body in enumerate(bodies, start=1):
        places.append(len(file))
        file += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    begins = len(file)
    file += b"xref\n0 %d\n0000000000 65535 f \n" % (len(bodies) + 1)
    for place in places:
        file += b"%010d 00000 n \n" % place
    identity = b"<%s>" % sha256(b"one").hexdigest()[:32].encode()
    file += (
        b"trailer<</Size %d/Root 1 0 R/Encrypt %d 0 R/ID[%s%s]>>\nstartxref\n%d\n%%%%EOF\n"
        % (
            len(bodies) + 1,
            len(bodies),
            identity,
            identity,
            begins,
        )
    )
    return bytes(file)
