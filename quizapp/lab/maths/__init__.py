"""What the experiments compute with torch, where it is long or several share it."""
