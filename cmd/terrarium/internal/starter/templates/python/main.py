"""An agent that does a task at a terminal: "terrarium harness" runs it."""
import sys

from agent import Agent
from wire import serve

if __name__ == "__main__":
    # Standard output is the wire. What is for people goes to standard error.
    sys.stdin.reconfigure(encoding="utf-8")
    serve(sys.stdin, sys.stdout, Agent().decide)
