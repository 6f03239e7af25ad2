"""The chat's screens and widgets. The app that shows them is `tui.py`; whatever they do can be done from a script.

All text from documents, models and files passes through `assistant.shared.rendering.plain` and is shown as `Content`,
which knows no markup; answers are Markdown whose links open nothing.
"""

__all__ = [
    "chat_app",
    "conversation_view",
    "handlers",
    "hang_up",
    "hints",
    "key_bindings",
    "palette",
    "prompt",
    "slash_commands",
    "theme_screen",
]
