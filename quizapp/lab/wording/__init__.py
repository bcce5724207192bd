"""What each number is called, for experiments whose wording would bury their arithmetic."""
