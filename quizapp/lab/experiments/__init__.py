"""The experiments: one file each, found by name, none registered."""
