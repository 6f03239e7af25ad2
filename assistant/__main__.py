"""`python -m assistant`: the command `clew` where its script is not on the path."""

from assistant.cli import main

main()
