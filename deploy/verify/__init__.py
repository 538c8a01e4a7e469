"""Does a system keep what it promises? A judge of its own, that believes no service.

It reads what lies there (tables, queues, objects), and what clients and the provider remember,
with statements and code of its own: a checker that shared theirs would share their mistakes.
Of `shared` it knows the topology table and nothing else.
"""
