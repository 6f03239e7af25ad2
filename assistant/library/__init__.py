"""The library of files: the knowledge bases that were used, looking around in one, building and watching."""
