package main

import (
	"fmt"
	"io"
	"os"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/cast"
	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/llm"
	"github.com/terrarium-dev/terrarium/core/driver/harness"
)

// witnesses are those who watch an agent at work: files, and a person. Each may
// be nil.
type witnesses struct {
	trace      *traceFile
	cast       castFile
	transcript *transcript
	view       *view
}

func (f *harnessFlags) witnesses(t task) (w witnesses, err error) {
	w.trace, err = createTrace(f.trace)
	if err == nil {
		w.cast, err = createCast(f.record, cast.Header{Title: t.challenge.Instruction, Cols: t.shell.Cols, Rows: t.shell.Rows})
	}
	if err == nil {
		w.transcript, err = createTranscript(f.transcript)
	}
	if err != nil {
		w.close()
		return witnesses{}, err
	}
	w.view = newView(os.Stderr, t.shell.Cols, t.shell.Rows, !f.json)
	return w, nil
}

// stderr returns where the agent's standard error goes.
func (w witnesses) stderr() io.Writer {
	if w.view != nil {
		return w.view
	}
	return &firstPart{w: os.Stderr, left: maxAgentSays}
}

func (w witnesses) output(p []byte) {
	w.cast.Output(p)
	w.view.output(p)
}

func (w witnesses) turn(t harness.Turn) {
	w.cast.Mark(fmt.Sprintf("turn %d", t.Step))
	w.transcript.turn(t)
	w.view.turn(t)
}

func (w witnesses) handOver(h llm.HandOver) {
	w.cast.Mark("hand over")
	w.transcript.handOver(h)
}

func (w witnesses) close() {
	w.view.close()
	w.cast.close()
	w.transcript.close()
	w.trace.close()
}
