package challenge

// screenPrompt returns what the agent is told of the screen, which has just
// been looked at, and notes whether the task is said to be complete.
func (m *Machine) screenPrompt() string {
	if m.turn == 0 {
		return m.firstPrompt()
	}
	strict := m.config.Parser.Strict
	m.pending = m.last.Complete
	if m.pending {
		if strict {
			return m.confirmPrompt() // terminus-2 forgets the warnings here
		}
		return m.warnings() + m.confirmPrompt()
	}
	if strict {
		// terminus-2 does it twice, so that the count it gives is wrong.
		m.screen = limit(m.screen)
	}
	return m.warnings() + m.screen
}

// firstPrompt is the task. terminus-2's is a file, and so ends in a newline.
func (m *Machine) firstPrompt() string {
	prompt := m.config.Guide + "Task Description:\n" + m.config.Instruction + "\n\nCurrent terminal state:\n" + m.screen
	if m.config.Parser.Strict {
		prompt += "\n"
	}
	return prompt
}

func (m *Machine) warnings() string {
	if m.last.Warning == "" {
		return ""
	}
	return "Previous response had warnings:\nWARNINGS: " + m.shorten(m.last.Warning) + "\n\n"
}

func (m *Machine) confirmPrompt() string {
	prompt := "Current terminal state:\n" + m.screen + "\n\n" +
		"Are you sure you want to mark the task as complete? This will trigger your solution to be graded and you won't be able to " +
		"make any further corrections. If so, include "
	if m.config.Parser.Format == XML {
		return prompt + "<task_complete>true</task_complete> again."
	}
	return prompt + `"task_complete": true in your JSON response again.`
}

func (m *Machine) errorPrompt() string {
	prompt := "Previous response had parsing errors:\nERROR: " + m.shorten(m.last.Error)
	if m.last.Warning != "" {
		prompt += "\nWARNINGS: " + m.shorten(m.last.Warning)
	}
	prompt += "\n\nPlease fix these issues and provide a proper "
	if m.config.Parser.Format == XML {
		return prompt + "response."
	}
	return prompt + "JSON response."
}

func (m *Machine) truncatedPrompt() string {
	prompt := "ERROR!! NONE of the actions you just requested were performed because you exceeded the maximum output length of 4096 tokens. " +
		"Your outputs must be less than 4096 tokens. Re-issue this request, breaking it into chunks each of which is less than 4096 tokens."
	if !m.config.Parser.Strict { // the limit is not ours to know
		prompt = "ERROR!! NONE of the actions you just requested were performed because you exceeded the maximum output length. " +
			"Re-issue this request, breaking it into smaller chunks."
	}
	if m.last.Warning != "" {
		prompt += "\n\nParser warnings from your truncated response:\n" + m.shorten(m.last.Warning)
	}
	return prompt
}

// shorten keeps what was found in a hostile answer from filling a prompt.
func (m *Machine) shorten(found string) string {
	if m.config.Parser.Strict {
		return found
	}
	return limit(found)
}
