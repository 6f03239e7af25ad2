"""Language models in files on this machine, which clew serves to itself. How they are asked is as at any endpoint."""

__all__ = ["files", "server"]
