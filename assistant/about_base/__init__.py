"""Questions about the knowledge base itself: which are such, and their answers from its catalogue and its texts."""

from assistant.about_base.answering import about_base as about_base
from assistant.about_base.recognising import Request as Request
from assistant.about_base.recognising import recognised as recognised
