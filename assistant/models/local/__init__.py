"""Language models in files on this machine, which clew serves to itself."""

__all__ = ["files", "server"]
