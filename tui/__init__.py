"""The chat: a face over `assistant`. Whatever it does can be done from a script.

All text from documents, models and files passes through `assistant.rendering.plain` and is shown as `Content`, which
knows no markup; answers are Markdown whose links open nothing.
"""

from tui.app import ClewApp, make_app, run_chat
from tui.help import Help
from tui.prompt import Prompt
from tui.turn import ToolLine, Turn

__all__ = ["ClewApp", "Help", "Prompt", "ToolLine", "Turn", "make_app", "run_chat"]
