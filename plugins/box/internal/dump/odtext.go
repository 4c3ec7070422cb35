package dump

import (
	"bufio"
	"fmt"
	"io"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// texts is od -S: it shows the runs of at least least printable bytes that a zero byte, or the end
// of what -N lets through, ends. r begins at skip.
func (o *odState) texts(r io.Reader, skip int64, least int) error {
	_, limited := r.(*io.LimitedReader)
	in := bufio.NewReaderSize(r, 64<<10)
	var run []byte
	for at := skip; !o.env.Stopped(); at++ {
		c, err := in.ReadByte()
		if err == nil && ' ' <= c && c <= '~' {
			if len(run) == cap(run) {
				if err := tool.Keep(2 * len(run)); err != nil {
					return err
				}
			}
			run = append(run, c)
			continue
		}
		if len(run) >= least && (err == nil && c == 0 || err == io.EOF && limited && len(run) > 0) {
			if address := o.address(at - int64(len(run))); address != "" {
				fmt.Fprintf(o.env.Out, "%s ", address)
			}
			o.env.Out.Write(append(run, '\n'))
		}
		run = run[:0]
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}
