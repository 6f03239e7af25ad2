"""What the chat's commands do: a function of the app and the argument, by the command's name."""

__all__ = ["by_name"]
