"""What the chat's commands do: a function of the app and the argument, by the command's name. Their names, help and
keys are in `screens/slash_commands.py`.
"""

__all__ = ["by_name"]
