"""Bytes under keys: documents, results and logs, on a disk or in an S3 bucket.

Messages carry keys because a broker is a bad place for megabytes. What a key of a digest
holds can be checked by whoever reads it, so no reader has to trust the way the bytes came.
"""
