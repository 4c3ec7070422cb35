package jsonrpc_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

type sample struct{ name, text string }

// samples are texts of 1 MiB, as commands print them.
var samples = []sample{
	{"ascii", fill(strings.Repeat("the quick brown fox jumps over the lazy dog. ", 2))},
	{"log", fill("2026-11-20T10:15:32Z INFO  server: handled request method=GET path=/api/v1/items\n" +
		"2026-11-20T10:15:32Z INFO  server: handled request method=GET path=/api/v1/users\n" +
		"\x1b[32mok\x1b[0m   github.com/terrarium-dev/terrarium/core/jsonrpc 0.214s\n")},
	{"table", fill("│ name        │ größe   │ ──────── │ 日本語のテキスト │\n├─────────────┼─────────┤\n")},
	{"json", fill(`{"level":"info","msg":"a \"quoted\" word","path":"C:\\dir"}` + "\n")},
	{"colour", fill("\x1b[1;31m-\x1b[0m \x1b[32m+\x1b[0m ")},
	{"binary", fill("\xff\x00\xc3\x28\xe2\x82\x00\x7f\xf0\x9f\x92")},
}

func fill(s string) string {
	const size = 1 << 20
	return strings.Repeat(s, size/len(s)+1)[:size]
}

func BenchmarkAppendString(b *testing.B) {
	for _, sample := range samples {
		b.Run(sample.name, func(b *testing.B) {
			dst := make([]byte, 0, 8*len(sample.text))
			b.SetBytes(int64(len(sample.text)))
			b.ReportAllocs()
			for b.Loop() {
				dst = jsonrpc.AppendString(dst[:0], sample.text)
			}
		})
	}
}

func BenchmarkQuotedLen(b *testing.B) {
	for _, sample := range samples {
		b.Run(sample.name, func(b *testing.B) {
			b.SetBytes(int64(len(sample.text)))
			b.ReportAllocs()
			for b.Loop() {
				jsonrpc.QuotedLen(sample.text)
			}
		})
	}
}

// The two yardsticks of BenchmarkAppendString.
func BenchmarkCopy(b *testing.B) {
	src := []byte(samples[0].text)
	dst := make([]byte, 0, len(src))
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		dst = append(dst[:0], src...)
	}
}

func BenchmarkEncodingJSONMarshal(b *testing.B) {
	for _, sample := range samples {
		b.Run(sample.name, func(b *testing.B) {
			b.SetBytes(int64(len(sample.text)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := json.Marshal(sample.text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

const createRequest = `{"jsonrpc":"2.0","id":17,"method":"terminal/create","params":{"sessionId":"sess_0123456789",` +
	`"command":"go","args":["test","-run","TestParse","./core/..."],"env":[{"name":"CI","value":"1"},{"name":"TERM","value":"dumb"}],` +
	`"cwd":"/home/user/project","outputByteLimit":1048576,"_meta":null}}`

// texts are what Parse is measured on: a small request, large answers, and
// texts of mostly structure.
var texts = slices.Concat([]sample{
	{"create", createRequest},
	{"numbers", "[" + strings.Repeat("1,-2.5e3,10000,", 1<<16) + "0]"},
	{"nested", "[" + strings.Repeat(`{"a":[[],{"b":null}], "c" : true},`, 1<<15) + "0]"},
}, answers())

func answers() (texts []sample) {
	for _, s := range samples {
		dst := jsonrpc.AppendResponseHead(nil, jsonrpc.IntID(1))
		dst = jsonrpc.AppendString(jsonrpc.AppendKey(append(dst, '{'), "output"), s.text)
		dst = jsonrpc.AppendTail(append(dst, '}'))
		texts = append(texts, sample{s.name, string(dst)})
	}
	return texts
}

func BenchmarkParse(b *testing.B) {
	for _, sample := range texts {
		b.Run(sample.name, func(b *testing.B) {
			text := []byte(sample.text)
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := jsonrpc.Parse(text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkEncodingJSONValid(b *testing.B) {
	for _, sample := range texts {
		b.Run(sample.name, func(b *testing.B) {
			text := []byte(sample.text)
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if !json.Valid(text) {
					b.Fatal("not valid")
				}
			}
		})
	}
}

func BenchmarkParseMessage(b *testing.B) {
	line := []byte(createRequest)
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := jsonrpc.ParseMessage(line); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAppendText(b *testing.B) {
	for _, sample := range samples {
		b.Run(sample.name, func(b *testing.B) {
			quoted := jsonrpc.AppendString(nil, sample.text)
			v, err := jsonrpc.Parse(quoted)
			if err != nil {
				b.Fatal(err)
			}
			dst := make([]byte, 0, len(quoted))
			b.SetBytes(int64(len(quoted)))
			b.ReportAllocs()
			for b.Loop() {
				dst, _ = v.AppendText(dst[:0])
			}
		})
	}
}

func BenchmarkLines(b *testing.B) {
	stream := bytes.Repeat([]byte(createRequest+"\n"), 1000)
	for _, piece := range []struct {
		name string
		size int
	}{{"100B", 100}, {"4KiB", 4 << 10}, {"64KiB", 64 << 10}} {
		b.Run(piece.name, func(b *testing.B) {
			var lines jsonrpc.Lines
			b.SetBytes(int64(len(stream)))
			b.ReportAllocs()
			for b.Loop() {
				for p := range slices.Chunk(stream, piece.size) {
					for range lines.Split(p) {
					}
				}
			}
		})
	}
}
