"""What the techniques and the agent are worth, measured: quality, its price in time, and what is left under damage.
Scores of a single run are in `assistant/evaluation` itself.
"""

__all__ = ["figures", "report", "terminal", "whole_bench"]
