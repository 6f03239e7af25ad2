"""Language models in files on this machine, which clew serves to itself."""
