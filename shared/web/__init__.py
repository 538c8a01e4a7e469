"""HTTP as the three APIs speak it: one error format, one door, one set of limits."""
