"""Tests of the agent: python3 -m unittest"""
import io
import json
import unittest
from unittest import mock

from agent import Agent
from wire import Answer, Request, serve


class AgentTest(unittest.TestCase):
    def test_turns(self) -> None:
        """It types, looks until it sees what it wants, and says twice that it is done."""
        agent = Agent()
        typing = "echo hello >hello.txt && cat hello.txt\n"
        turns = [
            ("$\n", typing, False),
            ("$ " + typing, "", False),
            ("$ " + typing + "hello\n$\n", "", True),
            ("", "", True),
        ]
        for step, (screen, typed, complete) in enumerate(turns, 1):
            with self.subTest(step=step):
                got = agent.decide(Request("", screen, step, ""))
                self.assertEqual("".join(c.keystrokes for c in got.commands), typed)
                self.assertEqual(got.complete, complete)


class WireTest(unittest.TestCase):
    def test_serve(self) -> None:
        """A line comes in, a line goes out."""
        line = json.dumps({"instruction": 'Say "hello".', "screen": "$\n", "step": 1, "prompt": "", "more": [{}]})
        out = io.StringIO()
        serve(io.StringIO(line + "\n"), out, lambda r: Answer(r.instruction, r.screen, complete=r.step == 1))
        self.assertEqual(json.loads(out.getvalue()), {
            "analysis": 'Say "hello".', "plan": "$\n", "commands": [], "task_complete": True,
        })
        self.assertEqual(out.getvalue().count("\n"), 1)

    def test_no_json(self) -> None:
        with self.assertRaises(ValueError):
            serve(io.StringIO("no JSON\n"), io.StringIO(), Agent().decide)

    def test_too_long(self) -> None:
        """Of a line without an end, no more is read than a request may have."""
        with mock.patch("wire.MAX_REQUEST", 10):
            source = io.StringIO("{" * 100)
            with self.assertRaisesRegex(ValueError, "more than 10 characters"):
                serve(source, io.StringIO(), Agent().decide)
            self.assertLessEqual(source.tell(), 11)


if __name__ == "__main__":
    unittest.main()
