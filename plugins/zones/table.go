package zones

import (
	"bufio"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"strings"
)

// find looks a name up in a table that cmd/dev has packed, and returns the file
// of that zone. The table is compressed; in it each file follows the names
// that it has, a line with spaces between them, and its length in two bytes.
func find(table io.Reader, name string) ([]byte, error) {
	unpacked, err := gzip.NewReader(table)
	if err != nil {
		return nil, err
	}
	r := bufio.NewReader(unpacked)
	for {
		names, err := r.ReadString('\n')
		if errors.Is(err, io.EOF) {
			return nil, errUnknown(name)
		}
		if err != nil {
			return nil, err
		}
		var size [2]byte
		if _, err := io.ReadFull(r, size[:]); err != nil {
			return nil, err
		}
		n := int(binary.BigEndian.Uint16(size[:]))
		if !slices.Contains(strings.Fields(names), name) {
			if _, err := r.Discard(n); err != nil {
				return nil, err
			}
			continue
		}
		file := make([]byte, n)
		_, err = io.ReadFull(r, file)
		return file, err
	}
}
