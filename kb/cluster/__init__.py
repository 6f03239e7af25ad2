"""A cluster of Ray, on which builds have vectors and facts worked out: joined by a process of its own, the only one
that imports Ray. What is worked out, and that it is the same anywhere, is in `kb/store/deriving.py`.
"""

__all__ = ["joining"]
