"""The screens: one file each, made once and used again."""
