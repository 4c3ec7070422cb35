"""Requests and answers of "terrarium harness", each a line of JSON."""
from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Callable, Iterator, TextIO

MAX_REQUEST = 64 << 20  # how long a request may be, in characters


@dataclass
class Request:
    """What an agent is asked in one turn."""

    instruction: str  # the task
    screen: str  # what the terminal shows, or what is new there
    step: int  # counts the turns from 1
    # All of it in words, with what was wrong with the last answer: what to tell a language model.
    prompt: str


@dataclass
class Command:
    """Something to type."""

    # Text, with a newline where Enter is pressed, or nothing but the name of a key: "C-c", "Up".
    keystrokes: str
    # For how long to wait afterwards, in seconds, from 0.1 to 60. A shell that is done earlier ends
    # it, if there are keystrokes.
    wait: float = 1.0


@dataclass
class Answer:
    """What to do next."""

    analysis: str = ""  # what the agent makes of what it sees, for whoever reads the transcript
    plan: str = ""  # what it is up to
    commands: list[Command] = field(default_factory=list)  # are typed one after the other
    complete: bool = False  # the task is done; counts when two answers in a row say it


def read(line: str) -> Request:
    """Returns the request that a line holds. What else is in it may be for newer agents."""
    got = json.loads(line)
    return Request(got["instruction"], got["screen"], got["step"], got["prompt"])


def write(answer: Answer) -> str:
    """Returns the line that an answer is."""
    return json.dumps({
        "analysis": answer.analysis,
        "plan": answer.plan,
        "commands": [{"keystrokes": c.keystrokes, "duration": c.wait} for c in answer.commands],
        "task_complete": answer.complete,
    })


def lines(source: TextIO) -> Iterator[str]:
    """Yields the lines of source. A longer one than a request may be is an error, before it is read."""
    while line := source.readline(MAX_REQUEST + 1):
        if len(line) > MAX_REQUEST:
            raise ValueError(f"a request of more than {MAX_REQUEST} characters")
        yield line


def serve(source: TextIO, out: TextIO, decide: Callable[[Request], Answer]) -> None:
    """Answers requests until there are no more: the task is done, or given up."""
    for line in lines(source):
        if line.strip():
            print(write(decide(read(line))), file=out, flush=True)
