"""An agent for "terrarium harness": counts the lines of words.txt.

terrarium harness --instruction "Write how many lines words.txt has to count.txt." -- python3 count.py
"""
import json
import re
import sys


def decide(screen, step):
    """Returns what it sees, what it will do, what it types, and whether that is all."""
    if step == 1:
        return "a shell", "count", [("wc -l <words.txt\n", 0.5)], False
    if step == 2:
        lines = re.findall(r"^ *(\d+)$", screen, re.MULTILINE)[-1]
        return f"{lines} lines", "write it down", [(f"echo {lines} >count.txt; cat count.txt\n", 0.5)], False
    return "it is written", "end", [], True


# A line with a request in, a line with an answer out, until there are no more.
for line in sys.stdin:
    request = json.loads(line)
    if "parsing errors" in request["prompt"]:
        sys.exit(request["prompt"])  # it is our fault: standard error is for people
    analysis, plan, keys, complete = decide(request["screen"], request["step"])
    commands = [{"keystrokes": k, "duration": seconds} for k, seconds in keys]
    answer = {"analysis": analysis, "plan": plan, "commands": commands, "task_complete": complete}
    print(json.dumps(answer), flush=True)
