"""Tables, plots and traced steps of a run, ready for a Report."""
