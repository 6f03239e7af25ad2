"""What the techniques and the agent are worth, measured: quality, its price in time, and what is left under damage."""

__all__ = ["figures", "report", "terminal", "whole_bench"]
