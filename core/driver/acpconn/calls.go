package acpconn

import (
	"context"
	"time"

	"github.com/terrarium-dev/terrarium/core/acp"
	"github.com/terrarium-dev/terrarium/core/driver"
)

// The methods below are what ACP's agents ask of a client, for an embedder who takes their requests
// off a connection himself: with an SDK, say. They are the peer's requests, as if they had come by
// Serve. An error is an *acp.RequestError, which has what to answer the agent, and wraps its cause;
// after the end it is driver.ErrClosed. They are safe for concurrent use, also while Serve runs.

// Close ends every terminal that the peer holds, and waits for that. It frees a Server that does
// not Serve.
func (s *Server) Close() error {
	s.end()
	return s.driver.Close()
}

// CreateTerminal is terminal/create: it returns when the command runs. If ctx ends before, nothing
// runs, and the error wraps ctx's.
func (s *Server) CreateTerminal(ctx context.Context, r acp.CreateTerminalRequest) (acp.CreateTerminalResponse, error) {
	return await(ctx, s, func(answer func(acp.CreateTerminalResponse, error)) *acp.Call {
		return s.conn.CreateTerminal(time.Now(), &r, answer)
	})
}

// TerminalOutput is terminal/output: what there is now.
func (s *Server) TerminalOutput(ctx context.Context, r acp.TerminalOutputRequest) (response acp.TerminalOutputResponse, err error) {
	err = s.call(ctx, func(time.Time) (err error) {
		response, err = s.conn.TerminalOutput(&r)
		return err
	})
	return response, err
}

// WaitForTerminalExit is terminal/wait_for_exit. If ctx ends before the command, it runs on, and
// the error wraps ctx's.
func (s *Server) WaitForTerminalExit(ctx context.Context, r acp.WaitForTerminalExitRequest) (acp.WaitForTerminalExitResponse, error) {
	return await(ctx, s, func(answer func(acp.WaitForTerminalExitResponse, error)) *acp.Call {
		return s.conn.WaitForTerminalExit(&r, answer)
	})
}

// KillTerminal is terminal/kill. It does not wait for the end.
func (s *Server) KillTerminal(ctx context.Context, r acp.KillTerminalRequest) (response acp.KillTerminalResponse, err error) {
	err = s.call(ctx, func(now time.Time) (err error) {
		response, err = s.conn.KillTerminal(now, &r)
		return err
	})
	return response, err
}

// ReleaseTerminal is terminal/release. It does not wait for the end.
func (s *Server) ReleaseTerminal(ctx context.Context, r acp.ReleaseTerminalRequest) (response acp.ReleaseTerminalResponse, err error) {
	err = s.call(ctx, func(now time.Time) (err error) {
		response, err = s.conn.ReleaseTerminal(now, &r)
		return err
	})
	return response, err
}

// OpenSession says what a session hands over, as _terrarium/session_open does. One that was not
// opened hands over nothing, and its commands start in Config.ACP.Command.Cwd.
func (s *Server) OpenSession(ctx context.Context, r acp.SessionOpenRequest) error {
	return s.call(ctx, func(time.Time) error { return s.conn.OpenSession(&r) })
}

// CloseSession ends the terminals of a session and forgets it, as _terrarium/session_close does.
func (s *Server) CloseSession(ctx context.Context, r acp.SessionRequest) error {
	return s.call(ctx, func(now time.Time) error { return s.conn.CloseSession(now, &r) })
}

// TellLink tells the peer what has become of the connection to where its terminals run.
func (s *Server) TellLink(l *acp.Link) {
	line := acp.AppendLink(nil, l)
	s.handle(func() {
		if !s.ended {
			s.out.send(line)
		}
	})
}

// call makes a request that is answered at once, unless ctx has ended.
func (s *Server) call(ctx context.Context, request func(now time.Time) error) (err error) {
	if ctx.Err() != nil {
		return acp.Cancelled(context.Cause(ctx))
	}
	s.handle(func() {
		if s.ended {
			err = driver.ErrClosed
			return
		}
		err = request(time.Now())
	})
	return err
}

// await makes a request and waits for its answer, or cancels it when ctx ends.
func await[R any](ctx context.Context, s *Server, request func(answer func(R, error)) *acp.Call) (response R, err error) {
	answered := make(chan struct{})
	var call *acp.Call
	refused := s.call(ctx, func(time.Time) error {
		call = request(func(r R, e error) {
			response, err = r, e
			close(answered)
		})
		return nil
	})
	if refused != nil {
		return response, refused
	}
	select {
	case <-answered:
	case <-ctx.Done():
		s.handle(func() { s.conn.Cancel(time.Now(), call, context.Cause(ctx)) })
		<-answered // by that, or by what came first
	}
	return response, err
}
