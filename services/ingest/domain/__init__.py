"""What ingest knows by itself: formats, names, and how a document's life moves."""
