"""The extractor reads documents: a scan goes in, an extraction comes out."""
