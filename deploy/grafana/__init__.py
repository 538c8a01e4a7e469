"""The six dashboards, as a table from which their files are written."""
