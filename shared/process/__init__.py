"""What makes a program a good citizen: settings, doors, probes and an orderly end."""
