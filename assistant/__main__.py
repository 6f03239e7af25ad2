"""`python -m assistant`: the command `clew` where its script is not on the path."""

from assistant.commands.cli import main

main()
