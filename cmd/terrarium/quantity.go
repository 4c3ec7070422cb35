package main

import (
	"errors"
	"regexp"
	"strings"
	"sync"
)

// quantity is a flag's number of processors or bytes, as Kubernetes writes it.
//
// https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/
type quantity struct {
	text string
	cpu  bool
}

// What Kubernetes takes besides, such as 1e3, thousandths of a byte, and a pod of 8 bytes, is
// mostly a slip.
var (
	processors = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9]{1,6}(\.[0-9]{1,3}|m)?$`) })
	bytesOf    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([0-9]{8,15}|[0-9]{1,6}(\.[0-9]{1,3})?[MGT]i?)$`) })
)

// Set implements pflag.Value.
func (q *quantity) Set(text string) error {
	form, want := bytesOf, "want bytes, as in 512Mi or 2Gi"
	if q.cpu {
		form, want = processors, "want processors, as in 2, 0.5 or 500m"
	}
	switch {
	case !form().MatchString(text):
		return errors.New(want)
	case strings.Trim(text, "0.mMGTi") == "":
		return errors.New("want more than nothing")
	}
	q.text = text
	return nil
}

// String implements pflag.Value.
func (q *quantity) String() string { return q.text }

// Type implements pflag.Value.
func (q *quantity) Type() string { return "quantity" }
