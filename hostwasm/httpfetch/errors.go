package httpfetch

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"

	"github.com/terrarium-dev/terrarium/core/egress"
)

// A code says why there is no response, or not all of it: ABI.md, "Errors".
type code uint32

const (
	codeInvalid  code = 1
	codeRefused  code = 2
	codeNoHost   code = 3
	codeNoAnswer code = 4
	codeNoTLS    code = 5
	codeTimedOut code = 6
	codeTooLarge code = 7
	codeBroken   code = 8
	codeTooMany  code = 9
)

// A dialError is one of Config.Dial.
type dialError struct{ error }

func (e dialError) Unwrap() error { return e.error }

// A tooLarge says which body has more bytes than it may.
type tooLarge struct {
	what  string
	limit int64
}

func (e tooLarge) Error() string {
	return fmt.Sprintf("%s has more than %d bytes, which is the most that is fetched here", e.what, e.limit)
}

var (
	errIdle    = errors.New("nothing came for too long")
	errWhole   = errors.New("the request took too long in all")
	errTooMany = errors.New("too many requests at once: wait until others have ended")
)

// explain returns the code and the sentence for an error.
func explain(err error) (code, string) {
	if outer, ok := errors.AsType[*url.Error](err); ok {
		err = outer.Err // it repeats the URL
	}
	text := cut(err.Error())
	refusal, refused := errors.AsType[*egress.Refusal](err)
	_, bad := errors.AsType[invalid](err)
	_, large := errors.AsType[tooLarge](err)
	_, lookUp := errors.AsType[*net.DNSError](err)
	_, dialled := errors.AsType[dialError](err)
	var timeout net.Error
	switch {
	case refused:
		return codeRefused, cut(refusal.Error())
	case bad:
		return codeInvalid, text
	case large:
		return codeTooLarge, text
	case err == errTooMany:
		return codeTooMany, text
	case lookUp:
		return codeNoHost, text
	case errors.Is(err, errIdle), errors.Is(err, errWhole), errors.Is(err, context.DeadlineExceeded),
		errors.As(err, &timeout) && timeout.Timeout():
		return codeTimedOut, text
	case dialled:
		return codeNoAnswer, text
	case isTLS(err):
		return codeNoTLS, text
	case strings.Contains(text, "server response headers exceeded"): // net/http has no value for it
		return codeTooLarge, fmt.Sprintf("the response's header has more than %d bytes", maxResponseHeader)
	}
	return codeBroken, text
}

func isTLS(err error) bool {
	var (
		certificate *tls.CertificateVerificationError
		alert       tls.AlertError
		record      tls.RecordHeaderError
		authority   x509.UnknownAuthorityError
	)
	return errors.As(err, &certificate) || errors.As(err, &alert) || errors.As(err, &record) || errors.As(err, &authority)
}

// errorFrame is what a frame of an error has.
func errorFrame(c code, text string) string {
	return string(binary.LittleEndian.AppendUint32(nil, uint32(c))) + text
}
