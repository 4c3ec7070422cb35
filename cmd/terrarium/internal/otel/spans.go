//go:build !nootel

package otel

import (
	"context"
	"errors"
	"path"
	"strconv"
	"sync"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/printable"
	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/core/driver/acpconn"
	"github.com/terrarium-dev/terrarium/core/driver/audit"
)

type terminalID = core.TerminalID

// Spans makes a span of each command. A nil one makes none. It is safe for concurrent use.
type Spans struct {
	tracer  trace.Tracer
	close   func()
	content bool // send arguments

	mu   sync.Mutex // guards open
	open map[terminalID]*span
}

// A span is that of a terminal. Its methods are the SDK's, which are safe for concurrent use.
type span struct {
	trace.Span
	failed string // why the host has not started it
	ended  bool
}

// Close sends what was not sent yet. It returns after 2 s also if nobody takes it.
func (s *Spans) Close() {
	if s != nil {
		s.close()
	}
}

// Wrap returns c with a span for each of its commands: c is what an audit.Recorder that tells
// OnEvent has returned, and so hears of a command after us.
func (s *Spans) Wrap(c driver.Config) driver.Config {
	if s != nil {
		c.Host = host{c.Host, s}
	}
	return c
}

// A host begins the spans of the commands of another.
type host struct {
	driver.Host
	spans *Spans
}

func (h host) Resolve(ctx context.Context, c core.Command) (core.Exec, error) {
	id, ok := driver.TerminalOf(ctx)
	if !ok {
		return h.Host.Resolve(ctx, c)
	}
	sp := h.spans.begin(ctx, id, &c)
	exec, err := h.Host.Resolve(ctx, c)
	if err != nil {
		h.spans.fail(sp, err)
		return exec, err
	}
	sp.SetAttributes(attribute.String(executableName, text(path.Base(exec.Path))), attribute.String(executablePath, text(exec.Path)))
	sp.SetName(operation + " " + tool + " " + text(path.Base(exec.Path)))
	if h.spans.content {
		sp.SetAttributes(attribute.StringSlice(commandArgs, texts(exec.Argv)))
	}
	return exec, nil
}

// Start makes our span the parent of those that the command makes: the client's would show them
// beside ours, and not below it.
func (h host) Start(ctx context.Context, e core.Exec) (driver.Process, error) {
	id, _ := driver.TerminalOf(ctx)
	sp := h.spans.of(id)
	if sp == nil {
		return h.Host.Start(ctx, e)
	}
	e.Command.Traceparent = sp.traceparent()
	p, err := h.Host.Start(ctx, e)
	if err != nil {
		h.spans.fail(sp, err)
	}
	return p, err
}

// w3c reads and writes traceparents.
var w3c propagation.TraceContext

func (s *Spans) begin(ctx context.Context, id terminalID, c *core.Command) *span {
	parent := w3c.Extract(context.Background(), propagation.MapCarrier{"traceparent": string(c.Traceparent)})
	_, began := s.tracer.Start(parent, operation+" "+tool, trace.WithAttributes(
		attribute.String(operationName, operation), attribute.String(toolName, tool), attribute.String(toolTypeName, toolType),
	))
	if session := string(acpconn.SessionOf(ctx, c.Session)); session != "" {
		began.SetAttributes(attribute.String(conversationID, text(session)))
	}
	sp := &span{Span: began}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open[id] = sp
	return sp
}

func (s *Spans) of(id terminalID) *span {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.open[id]
}

// fail keeps the reason of an error until the record tells of it.
func (s *Spans) fail(sp *span, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	sp.failed = "start_failed"
	if host, ok := errors.AsType[*core.HostError](err); ok && host.Reason != "" {
		sp.failed = host.Reason
	}
}

func (sp *span) traceparent() core.Traceparent {
	carrier := propagation.MapCarrier{}
	w3c.Inject(trace.ContextWithSpan(context.Background(), sp), carrier)
	return core.ParseTraceparent(carrier["traceparent"])
}

// OnEvent is audit.Config's.
func (s *Spans) OnEvent(e *audit.Event) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	sp := s.open[e.Terminal]
	if sp == nil {
		return
	}
	if c := sp.SpanContext(); c.IsSampled() {
		e.TraceID, e.SpanID = c.TraceID().String(), c.SpanID().String()
	}
	switch e.Event {
	case audit.Create:
		if e.Agent.Name != "" {
			sp.SetAttributes(attribute.String(agentName, text(e.Agent.Name)))
		}
	case audit.Ask:
		sp.AddEvent(askEvent, trace.WithAttributes(decided(e)...))
	case audit.Allow:
		sp.SetAttributes(append(decided(e), attribute.String(decision, "allow"))...)
	case audit.Deny:
		sp.SetAttributes(append(decided(e), attribute.String(decision, "deny"))...)
		sp.end("denied")
		delete(s.open, e.Terminal) // no other event follows
	case audit.Start:
		if e.Pid != 0 {
			sp.SetAttributes(attribute.Int(pid, e.Pid))
		}
	case audit.Kill:
		sp.AddEvent(killEvent, trace.WithAttributes(attribute.String(signal, text(e.Signal)), attribute.String(reason, text(e.Reason))))
	case audit.Limit:
		sp.AddEvent(limitEvent, trace.WithAttributes(attribute.String(reason, text(e.Reason))))
	case audit.Exit:
		sp.exit(e)
	case audit.Fail:
		sp.end(sp.failed)
		delete(s.open, e.Terminal)
	case audit.Release:
		sp.end(string(core.ReasonLost))
		delete(s.open, e.Terminal)
	}
}

// decided says by whom and which rule.
func decided(e *audit.Event) []attribute.KeyValue {
	attributes := []attribute.KeyValue{attribute.String(decisionBy, text(e.By))}
	if e.RuleID != "" {
		attributes = append(attributes, attribute.String(ruleID, text(e.RuleID)))
	}
	return attributes
}

// exit ends the span of a command that has run.
func (sp *span) exit(e *audit.Event) {
	if e.Reason != "" {
		sp.SetAttributes(attribute.String(exitReason, text(e.Reason)))
	}
	problem := e.Reason
	switch status := e.Status; {
	case status == nil || status.Unknown:
		problem = string(core.ReasonLost)
	case status.Signal != "":
		sp.SetAttributes(attribute.String(exitSignal, text(status.Signal)))
		if problem == "" {
			problem = status.Signal
		}
	default:
		sp.SetAttributes(attribute.Int64(exitCode, int64(status.ExitCode)))
		if problem == "" && status.ExitCode != 0 {
			problem = strconv.FormatUint(uint64(status.ExitCode), 10)
		}
	}
	sp.end(problem)
}

// end ends the span, once; problem is empty if all went well.
func (sp *span) end(problem string) {
	if sp.ended {
		return
	}
	sp.ended = true
	if problem != "" {
		sp.SetAttributes(attribute.String(errorType, text(problem)))
		sp.SetStatus(codes.Error, "")
	}
	sp.End()
}

// text returns s as it may be shown and as protobuf takes it, in UTF-8 and not too long.
func text(s string) string { return printable.Text(s[:min(len(s), maxValue)]) }

// texts returns as much of argv as is worth sending.
func texts(argv []string) []string {
	const most = 64
	var list []string
	for _, a := range argv {
		if len(list) == most {
			return append(list, "…")
		}
		list = append(list, text(a))
	}
	return list
}
