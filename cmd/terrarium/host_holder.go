package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/core/driver/remote"
)

// A holder is the process of a kept host. It ends when it has neither a session nor a connection,
// since then nothing is kept.
type holder struct {
	name, dir string
	flags     string // what it was started with
	listener  *net.UnixListener
	socket    fs.FileInfo // the listener's
	server    *remote.Server

	ctx  context.Context
	stop context.CancelFunc // has it end
	over chan struct{}      // closed when it has ended, but for who waits for that

	attending sync.WaitGroup

	mu      sync.Mutex // guards the fields below
	conns   map[*net.UnixConn]bool
	serving int       // of them
	idle    time.Time // since when none does
}

// Descriptors of a new holder: its socket, and what it says until a 0 tells that it is ready.
const (
	holderSocket = 3
	holderWords  = 4
)

// holderVariable is set for a new holder, which has otherwise the flags and the environment of who
// starts it.
const holderVariable = "TERRARIUM_HOLDER"

// startHolder starts the holder of a socket. It returns when that is ready, or has said why it is
// not.
func startHolder(l *net.UnixListener) error {
	socket, err := l.File()
	if err != nil {
		return err
	}
	defer socket.Close()
	words, write, err := os.Pipe()
	if err != nil {
		return err
	}
	defer words.Close()
	self, err := os.Executable()
	if err != nil {
		write.Close()
		return err
	}
	cmd := exec.Command(self, os.Args[1:]...)
	cmd.Env = append(os.Environ(), holderVariable+"=1")
	cmd.ExtraFiles = []*os.File{socket, write}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // it outlives our login
	keepInherited()
	err = cmd.Start()
	write.Close()
	if err != nil {
		return err
	}
	go cmd.Wait() // ends with the holder, or we do
	words.SetReadDeadline(time.Now().Add(readyTime))
	err = passWords(os.Stderr, words)
	if err != nil {
		cmd.Process.Kill()
	}
	return err
}

// readyTime is how long a holder may take to be ready.
const readyTime = time.Minute

// passWords passes on what a holder says, until it is ready.
func passWords(w io.Writer, words io.Reader) error {
	said := false
	for p := make([]byte, 1024); ; {
		n, err := words.Read(p)
		text, _, ready := strings.Cut(string(p[:n]), "\x00")
		io.WriteString(w, text)
		said = said || text != ""
		switch {
		case ready:
			return nil
		case errors.Is(err, os.ErrDeadlineExceeded):
			return fmt.Errorf("the process that was to keep the host is not ready within %v", readyTime)
		case err != nil && said:
			return exitStatus(statusFailed) // and it has said why
		case err != nil:
			return errors.New("the process that was to keep the host has ended")
		}
	}
}

// firstTime is how long a holder waits for its first connection.
const firstTime = time.Minute

// hold is what a holder does.
func (f *hostServeFlags) hold() error {
	var stat unix.Stat_t
	if err := unix.Fstat(holderSocket, &stat); err != nil || stat.Mode&unix.S_IFMT != unix.S_IFSOCK {
		return errors.New(holderVariable + " is set: it is not for people")
	}
	os.Unsetenv(holderVariable) // it is not for commands
	unix.CloseOnExec(holderSocket)
	unix.CloseOnExec(holderWords)
	os.Stderr = os.NewFile(holderWords, os.Stderr.Name())
	if err := f.holdUntilOver(); err != nil {
		warn(os.Stderr, err)
		return exitStatus(statusFailed)
	}
	return nil
}

func (f *hostServeFlags) holdUntilOver() error {
	h := &holder{name: f.keep, flags: flagsID(), over: make(chan struct{}), conns: make(map[*net.UnixConn]bool), idle: time.Now()}
	var err error
	if h.dir, err = keptParent(); err != nil {
		return err
	}
	if h.socket, err = os.Lstat(keptSocket(h.dir, h.name)); err != nil {
		return err
	}
	file := os.NewFile(holderSocket, "socket")
	listener, err := net.FileListener(file)
	file.Close()
	if err != nil {
		return err
	}
	var ok bool
	if h.listener, ok = listener.(*net.UnixListener); !ok {
		return errors.New(holderVariable + " is set: it is not for people")
	}
	// The end of a login is none of ours. It is not ignored, since commands would inherit that.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	h.ctx, h.stop = signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT, syscall.SIGQUIT)
	defer h.stop()
	host, err := f.openFar(h.ctx)
	if err != nil {
		return err
	}
	h.server = remote.NewServer(remote.ServerConfig{
		Host: host, Lease: f.linger,
		OnSessionEnd: func(_ error, left int) { h.endIfIdle() },
	})
	first := time.AfterFunc(firstTime, h.endIfIdle)
	defer first.Stop()
	os.Stderr.Write([]byte{0})

	accepted := make(chan struct{})
	go func() { // ends with the listener
		defer close(accepted)
		h.accept()
	}()
	<-h.ctx.Done()
	h.listener.Close()
	<-accepted
	h.server.Close() // first: whoever has the directory locked can't keep commands alive
	err = host.Close()
	h.vanish()
	close(h.over)
	h.hurry()
	h.attending.Wait() // who has waited for that is told
	return err
}

// hurry ends what connections wait for, but for the holder's end.
func (h *holder) hurry() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for conn := range h.conns {
		conn.SetReadDeadline(time.Now())
	}
}

// vanish removes the socket, on which nobody listens any more.
func (h *holder) vanish() {
	unlock, err := lockKept(h.dir)
	if err != nil {
		return // it is stale, and whoever comes next removes it
	}
	defer unlock()
	// Who has removed it, as those do who tidy /tmp, has made place for another holder.
	path := keptSocket(h.dir, h.name)
	if info, err := os.Lstat(path); err == nil && os.SameFile(info, h.socket) {
		os.Remove(path)
	}
}

// endIfIdle ends the holder if it keeps nothing.
func (h *holder) endIfIdle() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.serving == 0 && h.server.Sessions() == 0 {
		h.stop()
	}
}

// maxAttended is how many connections there may be. Those that serve are bound by their sessions,
// but for those that have just come.
const maxAttended = 256

func (h *holder) accept() {
	for {
		conn, err := h.listener.AcceptUnix()
		if err != nil && h.ctx.Err() != nil {
			return
		}
		if err != nil { // there are no descriptors left, say
			select {
			case <-h.ctx.Done():
				return
			case <-time.After(acceptPause):
			}
			continue
		}
		h.mu.Lock()
		full := len(h.conns) >= maxAttended
		if !full {
			h.conns[conn] = true
			h.attending.Go(func() { h.attend(conn) })
		}
		h.mu.Unlock()
		if full {
			h.answer(conn, holderNo+"it has too many connections")
			conn.Close()
		}
	}
}

// acceptPause is how long a holder waits after it could not accept a connection.
const acceptPause = 100 * time.Millisecond

// attend answers who has connected.
func (h *holder) attend(conn *net.UnixConn) {
	defer func() {
		conn.Close()
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.conns, conn)
	}()
	if ofOurUser(conn) != nil {
		return
	}
	conn.SetDeadline(time.Now().Add(helloTime))
	asked, err := readShortLine(conn, maxHolderLine)
	if err != nil {
		return
	}
	conn.SetDeadline(time.Time{})
	question, ok := strings.CutPrefix(asked, holderHello)
	flags, serves := strings.CutPrefix(question, askServe)
	ours, takes := strings.CutPrefix(question, askTake)
	if takes {
		flags, serves = ours, true
	}
	switch {
	case !ok:
		h.answer(conn, holderNo+"it is of another version: end it with terrarium host stop "+h.name)
	case serves && flags != h.flags:
		h.answer(conn, holderNo+"a host of that name is kept that was started with other flags, or in another directory: end it with terrarium host stop "+h.name+", or take another name")
	case serves:
		h.serve(conn, takes)
	case question == askState:
		h.answer(conn, holderYes)
		json.NewEncoder(conn).Encode(h.state())
	case question == askStop:
		h.answer(conn, holderYes)
		h.stop()
		<-h.over
		h.answer(conn, holderYes)
	default:
		h.answer(conn, holderNo+"it does not know what that means")
	}
}

func (h *holder) answer(conn net.Conn, line string) {
	conn.SetWriteDeadline(time.Now().Add(helloTime))
	fmt.Fprintln(conn, line)
	conn.SetWriteDeadline(time.Time{})
}

// serve serves a near side, which is at the other end of the connection, or of pipes that come over
// it.
func (h *holder) serve(conn *net.UnixConn, takes bool) {
	h.mu.Lock()
	h.serving++
	h.mu.Unlock()
	h.answer(conn, holderYes)
	if !takes {
		h.server.Serve(conn) // the near side is told why it ends, or has left
	} else if pipes, err := takePipes(conn); err == nil { // or it was none of ours
		h.server.Serve(pipes)
	}
	h.mu.Lock()
	if h.serving--; h.serving == 0 {
		h.idle = time.Now()
	}
	h.mu.Unlock()
	h.endIfIdle()
}

// A keptHost is what a holder tells of itself.
type keptHost struct {
	Name      string `json:"name"`
	PID       int    `json:"pid"`
	Sessions  int    `json:"sessions"`
	Terminals int    `json:"terminals"`
	// IdleMs is how long nobody is connected, in milliseconds; 0 if somebody is.
	IdleMs int64  `json:"idleMs"`
	Error  string `json:"error,omitempty"` // why it tells nothing
}

func (h *holder) state() keptHost {
	h.mu.Lock()
	defer h.mu.Unlock()
	k := keptHost{Name: h.name, PID: os.Getpid(), Sessions: h.server.Sessions(), Terminals: h.server.Terminals()}
	if h.serving == 0 {
		k.IdleMs = max(1, time.Since(h.idle).Milliseconds())
	}
	return k
}
