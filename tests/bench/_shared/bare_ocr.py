"""The recogniser without us: the library as it comes, in this process, one thread like ours."""

import io
from collections.abc import Callable

import cv2
import numpy as np
from PIL import Image
from rapidocr import RapidOCR
from rapidocr.utils.output import RapidOCROutput


def recogniser() -> Callable[[bytes], int]:
    """Takes a picture, says how many lines it has found."""
    cv2.setNumThreads(1)
    models = RapidOCR(
        params={
            "Global.log_level": "critical",
            "EngineConfig.onnxruntime.intra_op_num_threads": 1,
            "EngineConfig.onnxruntime.inter_op_num_threads": 1,
        }
    )

    def lines_in(picture: bytes) -> int:
        with Image.open(io.BytesIO(picture)) as opened:
            found = models(np.asarray(opened.convert("RGB"))[:, :, ::-1])
        # It gives other things when it is asked for a part of its work.
        return len(found.txts or ()) if isinstance(found, RapidOCROutput) else 0

    return lines_in
