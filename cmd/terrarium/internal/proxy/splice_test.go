package proxy

import (
	"testing"

	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

func TestSet(t *testing.T) {
	for _, test := range []struct{ line, want string }{
		{`{}`, `{"terminal":true}`},
		{`{ "a":1}`, `{"terminal":true, "a":1}`},
		// not the equal piece before it
		{`{"a":false,"terminal" : false}`, `{"a":false,"terminal" : true}`},
		{`{"termin\u0061l":{"x":[]} , "z":"é"}`, `{"termin\u0061l":true , "z":"é"}`},
	} {
		v, err := jsonrpc.Parse([]byte(test.line))
		if err != nil {
			t.Fatal(err)
		}
		line := v.Raw()
		if got := string(apply(line, []splice{set(line, v, "terminal", []byte("true"))})); got != test.want {
			t.Errorf("%s: got %s, want %s", test.line, got, test.want)
		}
	}
}
