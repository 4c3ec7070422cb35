package jsonrpc_test

import (
	"fmt"
	"os"
	"strconv"

	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

// A server that adds numbers.
func Example() {
	var lines jsonrpc.Lines
	var out []byte
	in := []byte(`{"jsonrpc":"2.0","id":1,"method":"add","params":{"terms":[1,2.0,3e2]}}
{"jsonrpc":"2.0","id":"two","method":"divide"}
{"jsonrpc":"2.0",
`)
	for line, err := range lines.Split(in) {
		if err != nil {
			out = jsonrpc.AppendError(out, jsonrpc.ID{}, jsonrpc.NewError(jsonrpc.CodeParseError, "line_too_long"))
			continue
		}
		m, bad := jsonrpc.ParseMessage(line)
		switch {
		case m.Kind == jsonrpc.Response || m.Kind == jsonrpc.Notification:
		case bad != nil:
			out = jsonrpc.AppendError(out, m.ID, bad)
		case m.Method == "add":
			terms, _ := m.Params.Get("terms")
			var sum uint64
			for item := range terms.Items() {
				n, _ := item.Uint64()
				sum += n
			}
			out = jsonrpc.AppendResponseHead(out, m.ID)
			out = strconv.AppendUint(out, sum, 10)
			out = jsonrpc.AppendTail(out)
		default:
			out = jsonrpc.AppendError(out, m.ID, jsonrpc.NewError(jsonrpc.CodeMethodNotFound, "unknown_method").With("method", m.Method))
		}
	}
	os.Stdout.Write(out)
	// Output:
	// {"jsonrpc":"2.0","id":1,"result":303}
	// {"jsonrpc":"2.0","id":"two","error":{"code":-32601,"message":"Method not found","data":{"reason":"unknown_method","method":"divide"}}}
	// {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error","data":{"reason":"invalid_json","detail":"unexpected end at byte 17"}}}
}

func ExampleExcess() {
	output := "0123456789\n\n\n"
	cut := jsonrpc.Excess(output, 10)
	fmt.Printf("%s\n", jsonrpc.AppendString(nil, output[cut:]))
	// Output: "89\n\n\n"
}

func ExampleAppendKey() {
	dst := []byte{'{'}
	dst = jsonrpc.AppendString(jsonrpc.AppendKey(dst, "output"), "done\n")
	dst = strconv.AppendBool(jsonrpc.AppendKey(dst, "truncated"), false)
	dst = append(jsonrpc.AppendKey(dst, "args"), '[')
	for _, arg := range []string{"-l", "a b"} {
		dst = jsonrpc.AppendString(jsonrpc.AppendComma(dst), arg)
	}
	dst = append(dst, "]}"...)
	fmt.Printf("%s\n", dst)
	// Output: {"output":"done\n","truncated":false,"args":["-l","a b"]}
}
