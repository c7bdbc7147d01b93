"""Version of the package; the library must have the same, up to the last number."""
VERSION = "0.2.0"
