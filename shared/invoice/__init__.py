"""What an invoice may say, and how one value of it looks: words that all who handle one share.

`paths.py` knows every field and its kind, `fields.py` what is known of one value.
"""
