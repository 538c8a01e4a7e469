"""What an operator can see of a running process: logs, traces and metrics."""
