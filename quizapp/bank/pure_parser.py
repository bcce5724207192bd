"""PyYAML's own parser, for machines where PyYAML was built without libyaml. Slower, same events."""

from __future__ import annotations

from yaml.parser import Parser
from yaml.reader import Reader
from yaml.scanner import Scanner


class PureParser(Reader, Scanner, Parser):
    """The parser half of `yaml.SafeLoader`: events, no composing, no constructing."""

    def __init__(self, text: str) -> None:
        Reader.__init__(self, text)
        Scanner.__init__(self)
        Parser.__init__(self)
