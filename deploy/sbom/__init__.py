"""What an image holds, as a software bill of materials (CycloneDX).

Standard library only: it runs while an image is built, before anything of ours is installed.
No clock, no host and no address enters it, so the same image has the same bill.
"""
