"""The terminal interface: screens and widgets that draw what the session tells."""
