//go:build linux || darwin

package worker

import (
	"errors"
	"os"

	"github.com/terrarium-dev/terrarium/hostwasm/cache"
)

// maxAnswers is how many questions of file systems are answered at once. A worker that
// has more waits, with all that it says.
const maxAnswers = 16

// ask answers a question, or has it be answered where that may take long: a file
// system that does not answer keeps one command waiting, and not what others say. id
// is the command that it is for, if it is for one.
func (c *child) ask(q *ask, id commandID) {
	if !q.What.inTree() {
		if c.listens() {
			c.answer(q, id)
		}
		return
	}
	c.asked <- struct{}{}
	c.answering.Go(func() { // ends when the file system has answered
		defer func() { <-c.asked }()
		if c.listens() {
			c.answer(q, id)
		}
	})
}

// answer answers what takes no time. To read what was compiled of a large module
// for askKept takes a fraction of a second, once.
func (c *child) answer(q *ask, id commandID) {
	a := &answer{ID: q.ID}
	switch q.What {
	case askSum:
		sum, err := c.host.modules.sum(q.Module)
		a.Sum = sum[:]
		c.reply(a, err)
	case askKept:
		key := cache.Key{By: c.host.by}
		if copy(key.Module[:], q.Sum) != len(key.Module) {
			c.reply(a, errors.New("no sum of a module"))
			return
		}
		e, err := c.host.kept(key)
		a.Kept = kept(e)
		c.reply(a, err)
	case askModule:
		f, err := c.host.modules.share(q.Module)
		if err != nil {
			c.reply(a, err)
			return
		}
		c.reply(a, nil, f)
	case askFile:
		c.module.Close() // an error means that there was none
		var err error
		if c.module, err = emptyFile("module"); err != nil {
			c.reply(a, err)
			return
		}
		c.reply(a, nil, c.module)
	case askCompile, askCompileFile:
		c.compileFor(q)
	case askMemory:
		a.Number = c.grant(id, q.Number)
		c.reply(a, nil)
	case askMode, askTimes, askMkdir, askUnlink, askRmdir, askRename, askLink, askSymlink:
		a.Number = status(c.do(q))
		c.reply(a, nil)
	case askOpen:
		f, err := c.open(q)
		if err != nil {
			a.Number = status(err)
			c.reply(a, nil)
			return
		}
		defer f.Close()
		c.reply(a, nil, f)
	case askTmpBytes:
		a.Number = c.grantTmp(amount{bytes: q.Number}).bytes
		c.reply(a, nil)
	case askTmpNames:
		a.Number = c.grantTmp(amount{names: q.Number}).names
		c.reply(a, nil)
	case askFetch:
		files, err := c.fetch(id, q.ID)
		defer closeAll(files)
		c.reply(a, err, files...)
	case askLetGo:
		c.letGo(id, uint64(q.Number))
		c.reply(a, nil)
	default:
		c.reply(a, errors.New("no such question"))
	}
}

func (c *child) reply(a *answer, err error, files ...*os.File) {
	if err != nil {
		a.Error = err.Error()
	}
	if c.send(&message{Answer: a}, files...) != nil {
		c.mu.Lock()
		c.deaf = true
		c.mu.Unlock()
	}
}

// listens reports whether the worker may still take an answer. Its last messages
// may say how its command has ended, so they are read when it has gone. But the
// socket holds thousands of questions, and each may take long: without this, a
// worker that was killed has them all answered before it has ended for us.
func (c *child) listens() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.killed && !c.deaf
}

// grant books memory for a command's guests, by the share, and returns how much: at
// least n, or 0.
func (c *child) grant(id commandID, n int64) int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	m := c.commands[id]
	limit := c.host.limits.Memory
	if m == nil || n <= 0 || limit >= 0 && n > limit-m.granted+share {
		return 0
	}
	for _, n := range []int64{(n + share - 1) / share * share, n} {
		if c.host.memory.take(n) {
			m.granted += n
			return n
		}
	}
	return 0
}

// grantTmp books what the worker's session may have in /tmp.
func (c *child) grantTmp(asked amount) amount {
	c.mu.Lock()
	t := c.tmp
	c.mu.Unlock()
	if t == nil {
		return amount{}
	}
	return c.host.scratch.grant(t, asked)
}
