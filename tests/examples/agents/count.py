"""An agent for "terrarium harness": counts the lines of words.txt.

terrarium harness --instruction "Write how many lines words.txt has to count.txt." -- python3 count.py
"""
import json
import re
import sys


def decide(screen, done):
    """Returns what it sees, what it will do, what it types, and whether that is all."""
    if done == 0:
        return "a shell", "count", "wc -l <words.txt\n", False
    numbers = re.findall(r"^ *(\d+)$", screen, re.MULTILINE)
    if done == 1 and numbers:
        return f"{numbers[-1]} lines", "write it down", f"echo {numbers[-1]} >count.txt && echo written\n", False
    if done > 2 or done == 2 and re.search(r"^written$", screen, re.MULTILINE):
        return "it is written", "end", "", True
    return "nothing yet", "look again", "", False  # the machine is busy


done = 0
# A line with a request in, a line with an answer out, until there are no more.
for line in sys.stdin:
    request = json.loads(line)
    if "parsing errors" in request["prompt"]:
        sys.exit(request["prompt"])  # it is our fault: standard error is for people
    analysis, plan, keys, complete = decide(request["screen"], done)
    done += keys != "" or complete
    commands = [{"keystrokes": keys, "duration": 0.5}]
    answer = {"analysis": analysis, "plan": plan, "commands": commands, "task_complete": complete}
    print(json.dumps(answer), flush=True)
