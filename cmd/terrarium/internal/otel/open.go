//go:build !nootel

package otel

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-logr/logr"
	api "go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/sdk/trace"
)

// Built says whether OpenTelemetry is in this build.
const Built = true

// closeLimit is how long an endpoint that does not answer may hold up Close.
const closeLimit = 2 * time.Second

// maxValue is how many bytes of a text are sent, where no variable says so.
const maxValue = 1 << 10

// Open returns what sends spans, as the variables that getenv knows ask for; nil if they don't. The
// SDK reads the others of its variables from our own environment. warn is called at most once, on
// any goroutine, with the first thing that goes wrong.
func Open(getenv func(string) string, version string, warn func(error)) *Spans {
	if !wanted(getenv) {
		return nil
	}
	var once sync.Once
	say := func(err error) {
		once.Do(func() { warn(fmt.Errorf("OpenTelemetry: %w", brief(err))) })
	}
	// Before the exporter is made: by default the SDK prints on standard error, and with a header
	// that it can't read the header's value, which is a secret.
	api.SetErrorHandler(api.ErrorHandlerFunc(say))
	api.SetLogger(logr.New(sink{say}))

	ctx := context.Background()
	exporter, err := otlptracehttp.New(ctx) // it does not connect yet
	if err != nil {
		say(err)
		return nil
	}
	about, err := resource.New(ctx,
		resource.WithAttributes(attribute.String(serviceName, "terrarium"), attribute.String(serviceVersion, version)),
		resource.WithTelemetrySDK(), resource.WithFromEnv()) // the last one wins
	if err != nil {
		say(err) // and what could be read of it is sent
	}
	limits := trace.NewSpanLimits()
	if limits.AttributeValueLengthLimit < 0 {
		limits.AttributeValueLengthLimit = maxValue
	}
	provider := trace.NewTracerProvider(trace.WithBatcher(exporter), trace.WithResource(about), trace.WithRawSpanLimits(limits))
	return &Spans{
		tracer: provider.Tracer("github.com/terrarium-dev/terrarium"),
		close: func() {
			ctx, cancel := context.WithTimeout(ctx, closeLimit)
			defer cancel()
			if err := provider.Shutdown(ctx); err != nil {
				say(err)
			}
		},
		content: captures(getenv(captureVariable)),
		open:    make(map[terminalID]*span),
	}
}

// wanted reports whether the variables name an endpoint, and none forbids to use it.
//
// https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
func wanted(getenv func(string) string) bool {
	exporters := strings.FieldsFunc(getenv("OTEL_TRACES_EXPORTER"), func(r rune) bool { return r == ',' || r == ' ' })
	switch {
	case getenv("OTEL_EXPORTER_OTLP_ENDPOINT") == "" && getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") == "":
		return false
	case strings.EqualFold(getenv("OTEL_SDK_DISABLED"), "true"):
		return false
	case len(exporters) > 0 && !slices.Contains(exporters, "otlp"):
		return false
	}
	return true
}

// captures reports whether the value of captureVariable lets content into spans.
func captures(value string) bool {
	return slices.Contains([]string{"true", "span_only", "span_and_event"}, strings.ToLower(value))
}

// brief returns err without what may be a secret, and not longer than a person would read.
func brief(err error) error {
	const most = 300 // bytes
	if wrong, ok := errors.AsType[*url.Error](err); ok && wrong.Op == "parse" {
		err = wrong.Err // the URL may have a password
	}
	if text := err.Error(); len(text) > most {
		return errors.New(text[:most] + "…")
	}
	return err
}

// A sink takes the SDK's errors, without the values that come with them, and nothing else.
type sink struct{ say func(error) }

func (sink) Init(logr.RuntimeInfo)                   {}
func (sink) Enabled(int) bool                        { return false }
func (sink) Info(int, string, ...any)                {}
func (s sink) Error(err error, msg string, _ ...any) { s.say(fmt.Errorf("%s: %w", msg, brief(err))) }
func (s sink) WithValues(...any) logr.LogSink        { return s }
func (s sink) WithName(string) logr.LogSink          { return s }
