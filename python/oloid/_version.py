"""Version of the package; major and minor version of the library must be the same."""
VERSION = "0.2.0"
