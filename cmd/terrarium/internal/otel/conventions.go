//go:build !nootel

package otel

// The names of what we send. They are those of OpenTelemetry's conventions for generative AI, whose
// status is "Development": names may change until they are stable, and then only this file does.
//
// The span is gen_ai.execute_tool.command.internal, read on 2026-11-23 as of commit
// 06ec68e722c45a7218e23ea1bc1339fe4e21ecae; the repository has made no release yet:
// https://github.com/open-telemetry/semantic-conventions-genai/blob/main/docs/gen-ai/execute-tool.md
//
// What it says nothing about is as in the spans of programs that start others, of the same day:
// https://opentelemetry.io/docs/specs/semconv/cli/cli-spans/#client-caller-spans
const (
	// The name of the span is operation, tool and the executable's name, with blanks between.
	operation = "execute_tool"
	tool      = "terminal"
	toolType  = "function" // it runs on the client's side

	operationName  = "gen_ai.operation.name"
	toolName       = "gen_ai.tool.name"
	toolTypeName   = "gen_ai.tool.type"
	agentName      = "gen_ai.agent.name"
	conversationID = "gen_ai.conversation.id" // the session of ACP

	executableName = "process.executable.name"
	executablePath = "process.executable.path"
	exitCode       = "process.exit.code"
	pid            = "process.pid"
	// commandArgs "SHOULD NOT be collected by default unless there is sanitization that excludes
	// sensitive data". See captureVariable.
	commandArgs = "process.command_args"

	// errorType is a reason of ours, the name of a signal, or the exit code if it is not 0.
	errorType = "error.type"

	serviceName    = "service.name"
	serviceVersion = "service.version"

	// captureVariable has instrumentations of generative AI send content: "true", or where to.
	// https://opentelemetry.io/docs/zero-code/python/configuration/
	captureVariable = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
)

// Names of our own, for what the conventions have no names for.
const (
	decision   = "terrarium.decision" // "allow" or "deny"
	decisionBy = "terrarium.decision.by"
	ruleID     = "terrarium.rule.id"
	exitSignal = "terrarium.exit.signal"
	exitReason = "terrarium.exit.reason"

	// Events of a span, and what they have.
	askEvent   = "terrarium.ask"   // somebody is being asked
	killEvent  = "terrarium.kill"  // a signal is sent
	limitEvent = "terrarium.limit" // a limit ends it
	signal     = "terrarium.signal"
	reason     = "terrarium.reason"
)
