"""Questions about the knowledge base itself: which are such, and their answers from its catalogue and its texts. What
is asked of the documents' contents is not answered here.
"""

from assistant.agent.offline.about_base.base_answer import about_base as about_base
from assistant.agent.offline.about_base.recognising import Request as Request
from assistant.agent.offline.about_base.recognising import recognised as recognised

__all__ = ["recognising"]
