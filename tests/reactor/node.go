package reactor

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/tetratelabs/wazero/api"
)

// node is one process for all instances of this process, and ends with it: at
// the end of its input. A request is a length and a payload; the payload's first
// byte says what it is:
//
//	m  n, bytes                    the module
//	o                              a new instance; value is its number
//	c  number                      an instance is needed no longer
//	r  number, times, n, n steps   a run
//
// A step is 'c', name, arguments, each 32 or 64 and an i64; 'w', at, bytes;
// 'r', at, n; or 't'. An answer is a length, 0 or 1 for a failure, the value as
// an i64, and bytes, which say why it failed. Numbers are of 32 bits where
// nothing else is said; bytes come after their number; all is little-endian.
type node struct {
	mu  sync.Mutex // guards a request and its answer
	in  io.Writer
	out *bufio.Reader
}

var errNoNode = errors.New("needs node on PATH")

var startNode = sync.OnceValues(func() (*node, error) {
	if _, err := exec.LookPath("node"); err != nil {
		return nil, errNoNode
	}
	wasm, err := module()
	if err != nil {
		return nil, err
	}
	root, err := watch()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command("node", filepath.Join(root, "tests", "reactor", "node.mjs"))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	n := &node{in: in, out: bufio.NewReader(out)}
	_, _, err = n.ask(appendBytes([]byte{'m'}, wasm), nil)
	return n, err
})

// ask sends a request, and reads its answer into buf.
func (n *node) ask(request, buf []byte) (value uint64, data []byte, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if _, err := n.in.Write(appendU32(nil, len(request))); err != nil {
		return 0, nil, err
	}
	if _, err := n.in.Write(request); err != nil {
		return 0, nil, err
	}
	var head [13]byte
	if _, err := io.ReadFull(n.out, head[:]); err != nil {
		return 0, nil, fmt.Errorf("reactor: node is gone: %w", err)
	}
	size := int(binary.LittleEndian.Uint32(head[:])) - 9
	data = append(buf[:0], make([]byte, size)...)
	if _, err := io.ReadFull(n.out, data); err != nil {
		return 0, nil, err
	}
	if head[4] != 0 {
		return 0, nil, fmt.Errorf("reactor: node: %s", data)
	}
	return binary.LittleEndian.Uint64(head[5:]), data, nil
}

type nodeInstance struct {
	node    *node
	number  int
	exports map[string]api.FunctionDefinition // JavaScript has to know the types
	data    []byte
}

func openNode(tb testing.TB) Instance {
	tb.Helper()
	n, err := startNode()
	if errors.Is(err, errNoNode) {
		tb.Skip(err)
	}
	if err != nil {
		tb.Fatal(err)
	}
	number, _, err := n.ask([]byte{'o'}, nil)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { n.ask(appendU32([]byte{'c'}, int(number)), nil) })
	return &nodeInstance{node: n, number: int(number), exports: Exports(tb)}
}

func (i *nodeInstance) Run(times int, steps ...Step) (value uint64, data []byte, err error) {
	request := appendU32(appendU32([]byte{'r'}, i.number), times)
	request = appendU32(request, len(steps))
	for _, s := range steps {
		request = append(request, s.kind)
		switch s.kind {
		case stepCall:
			f := i.exports[s.export]
			if f == nil {
				return 0, nil, fmt.Errorf("reactor: no export %s", s.export)
			}
			request = append(appendBytes(request, []byte(s.export)), byte(len(s.args)))
			for k, t := range f.ParamTypes() {
				bits := byte(32)
				if t == api.ValueTypeI64 {
					bits = 64
				}
				request = binary.LittleEndian.AppendUint64(append(request, bits), s.args[k])
			}
		case stepWrite:
			request = appendBytes(appendU32(request, int(s.at)), s.data)
		case stepRead:
			request = appendU32(appendU32(request, int(s.at)), int(s.n))
		}
	}
	value, i.data, err = i.node.ask(request, i.data)
	return value, i.data, err
}

func appendU32(dst []byte, n int) []byte { return binary.LittleEndian.AppendUint32(dst, uint32(n)) }

func appendBytes(dst, p []byte) []byte { return append(appendU32(dst, len(p)), p...) }
