"""The review desk: plain HTML and small modules, served by the API that it speaks to."""
