"""The operators' console: plain HTML and small modules, served by the API that it speaks to."""
