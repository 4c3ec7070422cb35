"""What to type. This agent writes hello.txt: put yours in its place."""
from __future__ import annotations

import re

from wire import Answer, Command, Request


class Agent:
    """Decides what to type."""

    def __init__(self) -> None:
        self.typed = False
        self.seen = False

    def decide(self, request: Request) -> Answer:
        """Is called once for each turn."""
        if not self.typed:
            self.typed = True
            return Answer(
                analysis="a shell waits",
                plan="write the file, and show it",
                commands=[Command("echo hello >hello.txt && cat hello.txt\n", wait=1.0)],
            )
        if not self.seen and not re.search(r"^hello *$", request.screen, re.MULTILINE):
            # The machine is busy.
            return Answer(plan="look again", commands=[Command("", wait=0.5)])
        # The first time we are asked whether we are sure: then the same answer says yes.
        self.seen = True
        return Answer(analysis="the file is written", complete=True)
