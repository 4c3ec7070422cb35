// Package otel sends a span of OpenTelemetry for every command that a driver.Driver runs, from its
// creation to its exit, to the OTLP/HTTP endpoint that the standard variables name. Where they name
// none, nothing is made and nothing is sent.
//
// The build tag nootel leaves the SDK out: then Open says that there is nothing to send to.
package otel
