package bench

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"
)

// proxyVariable has this program be an agent, or a program that only copies lines.
const proxyVariable = "TERRARIUM_BENCH_PROXY"

// proxyMain is that program. An agent answers with the line that it gets; where that is "SIZE
// BYTES" as a JSON string it writes so many bytes in lines of that size.
func proxyMain(mode string) int {
	var err error
	switch mode {
	case "agent":
		err = agentMain()
	case "copy":
		err = copyMain(os.Args[1])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func agentMain() error {
	in := bufio.NewReaderSize(os.Stdin, 1<<16)
	for {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return nil
		}
		_, flood, ok := bytes.Cut(line, []byte(`"flood `))
		if !ok {
			if _, err := os.Stdout.Write(line); err != nil {
				return err
			}
			continue
		}
		var size, total int
		fmt.Sscan(string(flood), &size, &total)
		for text := update(size); total > 0; total -= len(text) {
			if _, err := os.Stdout.Write(text); err != nil {
				return err
			}
		}
	}
}

// update is a line as agents write most: a piece of what they say.
func update(size int) []byte {
	const head, tail = `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"`, `"}}}}` + "\n"
	return []byte(head + strings.Repeat("word ", max(0, size-len(head)-len(tail))/5) + tail)
}

// copyMain passes lines on between our streams and those of an agent, and does nothing else.
func copyMain(agent string) error {
	cmd := exec.Command(agent)
	cmd.Env = append(os.Environ(), proxyVariable+"=agent")
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() { // ends with our input
		copyLines(in, os.Stdin)
		in.Close()
	}()
	copyLines(os.Stdout, out)
	return cmd.Wait()
}

func copyLines(w io.Writer, r io.Reader) {
	for b := bufio.NewReaderSize(r, 2<<20); ; {
		line, err := b.ReadSlice('\n')
		if err != nil {
			return
		}
		if _, err := w.Write(line); err != nil {
			return
		}
	}
}

// BenchmarkProxy compares "terrarium proxy" with a program that only copies lines.
func BenchmarkProxy(b *testing.B) {
	nativeHost(b)
	path, err := terrarium()
	if err != nil {
		b.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	copying := exec.Command(self, self)
	copying.Env = append(os.Environ(), proxyVariable+"=copy")
	proxying := exec.Command(path, "proxy", "--sandbox", "off", "--", "env", proxyVariable+"=agent", self)
	ways := []*way{startWay(b, "copy", copying), startWay(b, "proxy", proxying)}

	var round [2][]time.Duration
	for range 15 {
		for i, w := range ways {
			for range 100 {
				round[i] = append(round[i], w.round(b))
			}
		}
	}
	t := &table{title: "a proxy, against a program that only copies lines; in turns", header: []string{"", "copy", "proxy", "", "aim"}}
	tables = append(tables, t)
	copied, proxied := percentile(round[0], 50), percentile(round[1], 50)
	t.row("there and back, 200 B, median, ms", milliseconds(copied), milliseconds(proxied), times(proxied.Seconds(), copied.Seconds()), "1.50x")
	for _, size := range []int{4 << 10, 1 << 20} {
		const total = 32 << 20
		var took [2][]time.Duration
		for range 5 {
			for i, w := range ways {
				took[i] = append(took[i], w.flood(b, size, total))
			}
		}
		rate := func(d time.Duration) float64 { return total / 1e6 / d.Seconds() }
		copied, proxied := rate(percentile(took[0], 50)), rate(percentile(took[1], 50))
		t.row(strconv.Itoa(size>>10)+" KiB lines, MB/s", fmt.Sprintf("%.0f", copied), fmt.Sprintf("%.0f", proxied), times(proxied, copied), "0.50x")
	}
}

// A way is a program between us and an agent.
type way struct {
	to   io.Writer
	from *bufio.Reader
}

func startWay(b *testing.B, name string, cmd *exec.Cmd) *way {
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatalf("%s: %v", name, err)
	}
	b.Cleanup(func() { in.Close(); io.Copy(io.Discard, out); cmd.Wait() })
	return &way{in, bufio.NewReaderSize(out, 2<<20)}
}

// round sends a line and waits until it comes back.
func (w *way) round(b *testing.B) time.Duration {
	began := time.Now()
	if _, err := w.to.Write(update(200)); err != nil {
		b.Fatal(err)
	}
	if _, err := w.from.ReadSlice('\n'); err != nil {
		b.Fatal(err)
	}
	return time.Since(began)
}

// flood has the agent write so many bytes, and waits for them.
func (w *way) flood(b *testing.B, size, total int) time.Duration {
	began := time.Now()
	fmt.Fprintf(w.to, "{\"jsonrpc\":\"2.0\",\"method\":\"_x\",\"params\":{\"x\":\"flood %d %d \"}}\n", size, total)
	for got := 0; got < total; {
		line, err := w.from.ReadSlice('\n')
		if err != nil {
			b.Fatal(err)
		}
		got += len(line)
	}
	return time.Since(began)
}
