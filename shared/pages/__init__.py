"""What a page shows: its words with boxes, and its picture. For children in chains only.

Who reads an invoice and who shows it to a person have to mean the same page: the same turning,
the same cropping, the same idea of what can be seen. So both open files with this, and neither
opens one outside `shared/sandbox`.
"""
