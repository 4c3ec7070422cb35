// Package agent is for programs that do tasks at a terminal, as "terrarium
// harness" runs them with the JSON wire: the agents of the Term Challenge.
//
//	func main() {
//		err := agent.Serve(os.Stdin, os.Stdout, func(r agent.Request) (agent.Answer, error) {
//			if r.Step == 1 {
//				return agent.Answer{Commands: []agent.Command{agent.Type("make test\n", 30*time.Second)}}, nil
//			}
//			return agent.Answer{Analysis: r.Screen, Complete: true}, nil
//		})
//		if err != nil {
//			log.Fatal(err)
//		}
//	}
//
// Standard output is the wire: what else an agent has to say goes to standard
// error.
package agent

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
)

// A Request is what an agent is asked in one turn. Its JSON form is a line of
// the Term Challenge.
type Request struct {
	// Instruction is the task.
	Instruction string `json:"instruction"`
	// Screen is what the terminal shows, or what is new there.
	Screen string `json:"screen"`
	// Step counts the turns from 1.
	Step int `json:"step"`
	// Prompt is all of it in words, with what was wrong with the last answer:
	// what to tell a language model.
	Prompt string `json:"prompt"`
}

// An Answer says what to do next.
type Answer struct {
	// Analysis is what the agent makes of what it sees, and Plan what it is up
	// to. They are for whoever reads the transcript.
	Analysis string `json:"analysis"`
	Plan     string `json:"plan"`
	// Commands are typed one after the other. There may be none.
	Commands []Command `json:"commands"`
	// Complete says that the task is done. It has to be said in two answers in
	// a row: after the first, the agent is asked whether it is sure.
	Complete bool `json:"task_complete"`
}

// A Command is something to type.
type Command struct {
	// Keystrokes is text, with a newline where Enter is pressed, or nothing but
	// the name of a key, as tmux has them: "C-c", "Escape", "Up".
	Keystrokes string
	// Wait is how long to wait afterwards, from 0.1 s to a minute. If zero, 1 s.
	// If Keystrokes is empty it is waited in full, otherwise until a shell has
	// done what was typed.
	Wait time.Duration
}

// Type returns a Command.
func Type(keystrokes string, wait time.Duration) Command { return Command{keystrokes, wait} }

// MarshalJSON gives the time in seconds.
func (c Command) MarshalJSON() ([]byte, error) {
	if c.Wait == 0 {
		c.Wait = time.Second
	}
	return encode(struct {
		Keystrokes string  `json:"keystrokes"`
		Duration   float64 `json:"duration"`
	}{c.Keystrokes, c.Wait.Seconds()})
}

// maxRequest is how long a request may be, in bytes. The screen in it is
// limited; the instruction is not.
const maxRequest = 64 << 20

// Serve answers the requests on r until it ends, which is when the task is done
// or given up. The error is that of r, w or answer.
func Serve(r io.Reader, w io.Writer, answer func(Request) (Answer, error)) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxRequest)
	for lines.Scan() {
		var request Request
		if err := json.Unmarshal(lines.Bytes(), &request); err != nil {
			return fmt.Errorf("agent: request: %w", err)
		}
		a, err := answer(request)
		if err != nil {
			return err
		}
		if a.Commands == nil {
			a.Commands = []Command{} // it must be there
		}
		line, err := encode(a)
		if err != nil {
			return fmt.Errorf("agent: answer: %w", err)
		}
		if _, err := w.Write(line); err != nil {
			return fmt.Errorf("agent: %w", err)
		}
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return fmt.Errorf("agent: a request of more than %d MiB", maxRequest>>20)
	} else if err != nil {
		return fmt.Errorf("agent: %w", err)
	}
	return nil
}

// encode returns v on a line, with < and & as they are.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return b.Bytes(), err
}
