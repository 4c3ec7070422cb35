package challenge

// Guide tells a language model how to answer in the format, for Config.Guide.
func Guide(f Format) string {
	form := guideJSON
	if f == XML {
		form = guideXML
	}
	return guideTask + form + guideKeys
}

const guideTask = `You work at a Linux terminal. You are given a task and the current state of the terminal; you answer with
keystrokes, they are typed for you, and you are shown what came of it. This goes on until the task is done.

`

const guideJSON = `Answer with one JSON object and nothing else:

{
  "analysis": "what you see, what has been done, what is left",
  "plan": "what you will do next and what you expect of it",
  "commands": [
    {"keystrokes": "ls -la\n", "duration": 0.1},
    {"keystrokes": "make\n", "duration": 20.0}
  ],
  "task_complete": false
}

analysis, plan and commands are required, in this order. commands may be empty. task_complete may be left out.
To wait without typing, use {"keystrokes": "", "duration": 10.0}.

`

const guideXML = `Answer with one <response> and nothing else:

<response>
<analysis>what you see, what has been done, what is left</analysis>
<plan>what you will do next and what you expect of it</plan>
<commands>
<keystrokes duration="0.1">ls -la
</keystrokes>
<keystrokes duration="20.0">make
</keystrokes>
</commands>
<task_complete>false</task_complete>
</response>

analysis, plan and commands are required, in this order. commands may be empty. task_complete may be left out.
Keystrokes are not XML inside: write < > & and quotes as they are, never &lt; and the like. To wait without typing,
use <keystrokes duration="10.0"></keystrokes>.

`

const guideKeys = `- Keystrokes are typed exactly as they are. A shell command needs a newline at its end to run.
- Keystrokes that consist of nothing but the name of a key press that key: C-c, C-d, C-z, C-l, Escape, Tab, BSpace, Enter,
  Up, Down, Left, Right, Home, End, PPage, NPage, F1 and the others that tmux knows. Send them as a command of their own.
- duration is how many seconds to wait before the next command or the next look at the screen, from 0.1 to 60, by default
  1.0. Use 0.1 for cd, ls or echo, 0.5 for cat or grep, 1 to 5 for compilers, 5 to 30 for make. Rather wait too short and
  wait again than too long.
- When all is done and checked, set task_complete. You will be asked whether you are sure, and have to set it again.

`
