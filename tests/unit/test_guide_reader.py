"""What is shown of a command of a guide that failed."""

from tests.system.guide_reader import TAIL, Said


def test_a_long_complaint_does_not_hide_what_was_said() -> None:
    said = Said("./paperline up", 1, "long ago" + "." * TAIL + "port taken", "thread\n" * TAIL)

    assert "port taken" in said.story
    assert "thread" in said.story
    assert "long ago" not in said.story
    assert len(said.story) < 3 * TAIL
