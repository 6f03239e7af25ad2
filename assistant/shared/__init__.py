"""What every package here may use: settings, the user's folders, safe text, files written whole. It answers nothing,
and asks no model.
"""

__all__ = [
    "chosen_scorer",
    "config",
    "config_edit",
    "model_choice",
    "question_files",
    "recorded_plans",
    "rendering",
    "spending_limits",
    "standard_streams",
    "text_lines",
    "user_folders",
    "writing",
]
