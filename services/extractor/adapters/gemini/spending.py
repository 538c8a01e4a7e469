"""What a call cost: the tokens that the API counted, times the price list of the settings.

`prompt_token_count` includes what came from a cache; thoughts are billed as output.
"""

from decimal import Decimal

from services.extractor.adapters.gemini.options import Price
from services.extractor.adapters.gemini.reply import Used
from services.extractor.domain.reading import Usage

MILLION = Decimal(1_000_000)
# Of an invoice with a few pages: what is set aside before a call, until its true cost is known.
EXPECTED = Used(prompt_token_count=8_000, candidates_token_count=4_000)


def usage_of(model: str, used: Used, price: Price) -> Usage:
    prompt = used.prompt_token_count + used.tool_use_prompt_token_count
    cached = min(used.cached_content_token_count, prompt)
    output = used.candidates_token_count + used.thoughts_token_count
    cost = (prompt - cached) * price.input + cached * price.cached + output * price.output
    return Usage(
        model,
        prompt_tokens=prompt,
        cached_tokens=cached,
        output_tokens=used.candidates_token_count,
        thought_tokens=used.thoughts_token_count,
        cost=(cost / MILLION).quantize(Decimal("0.000001")),
    )
