"""Paperline on Kubernetes: what runs there, as a table, and the manifests written from it.

`base/` is made by `python -m deploy.k8s` and never edited: names of settings, ports and doors
come from the code, so a manifest cannot drift from it. What differs between installations
stands in `overlays/`, written by hand.
"""
