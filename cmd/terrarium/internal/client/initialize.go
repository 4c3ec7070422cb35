package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/terrarium-dev/terrarium/core/acp"
	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

// initialize opens the connection, in the highest version of ACP that the agent and we speak.
func (k *client) initialize(ctx context.Context) ([]method, error) {
	limit := cmp.Or(k.config.InitializeLimit, time.Minute)
	errLate := errors.New("late")
	timed, cancel := context.WithTimeoutCause(ctx, limit, errLate)
	defer cancel()
	timed, garbled := context.WithCancelCause(timed)
	defer garbled(nil)
	errGarbled := errors.New("garbled")
	go func() { // ends with timed
		select {
		case <-k.tooMuch:
			garbled(errGarbled)
		case <-timed.Done():
		}
	}()
	result, err := k.offer(timed)
	k.mu.Lock()
	garbage := k.garbage
	k.mu.Unlock()
	switch {
	case errors.Is(err, errLate):
		failed := k.fail(hangsText(limit, garbage))
		failed.Late = true
		return nil, failed
	case errors.Is(err, errGarbled):
		return nil, k.fail(fmt.Sprintf("the agent prints what is no message: %q: %s", garbage, modeHint))
	case err != nil:
		return nil, k.initializeError(err)
	}
	version, err := acp.AgreedVersion(result)
	if err != nil || version < acp.ProtocolVersion || version > int64(k.config.MaxVersion) {
		chosen, _ := result.Get("protocolVersion")
		return nil, k.fail(k.versionText(clip(string(chosen.Raw()), 20)))
	}
	info, _ := result.Get("agentInfo")
	if version == acp.DraftVersion {
		info, _ = result.Get("info")
		k.warn("the agent speaks version 2 of ACP, a draft without terminals of ours: it runs commands itself, and nothing holds them. With --acp-version 1 it may have them run here")
	}
	k.config.Agent.Env = nil // it has started
	k.about = Ready{Agent: textOf(info, "name"), Version: textOf(info, "version")}
	return authMethods(result, k.config.Agent), nil
}

// offer asks the agent for the highest version that we speak. It should answer with a lower one
// that it speaks, but some fail at what they don't know: these are asked for the lowest.
func (k *client) offer(ctx context.Context) (jsonrpc.Value, error) {
	result, err := k.before(ctx, k.call(acp.MethodInitialize, func(dst []byte) []byte {
		return k.appendInitialize(dst, k.config.MaxVersion)
	}))
	if _, refused := errors.AsType[*rpcError](err); !refused || needsLogin(err) || k.config.MaxVersion == acp.ProtocolVersion {
		return result, err
	}
	again, errAgain := k.before(ctx, k.call(acp.MethodInitialize, func(dst []byte) []byte {
		return k.appendInitialize(dst, acp.ProtocolVersion)
	}))
	if _, refused := errors.AsType[*rpcError](errAgain); refused {
		return result, err // what it has said first is about what it was asked first
	}
	return again, errAgain
}

// appendInitialize appends the params of initialize. Those for a version above 1 are for agents of
// version 1, too, since nobody knows which the agent is.
func (k *client) appendInitialize(dst []byte, version uint16) []byte {
	about := acp.Implementation{Name: "terrarium", Version: k.config.Version}
	r := acp.InitializeRequest{
		ProtocolVersion: version,
		ClientInfo:      &about,
		ClientCapabilities: acp.ClientCapabilities{
			FS:       acp.FileSystemCapabilities{ReadTextFile: true, WriteTextFile: true},
			Terminal: true,
			Meta:     []byte(`{"terminal_output":true,"terminal_output_delta":true}`),
		},
	}
	dst = r.AppendJSON(dst)
	if version == acp.ProtocolVersion {
		return dst
	}
	dst = dst[:len(dst)-len("}")]
	dst = about.AppendJSON(jsonrpc.AppendKey(dst, "info"))
	return append(jsonrpc.AppendKey(dst, "capabilities"), "{}}"...)
}

// agreed is called with the answer to initialize before the next line is read, which may be of that
// version.
func (k *client) agreed(result jsonrpc.Value) {
	version, _ := acp.AgreedVersion(result)
	k.mu.Lock()
	k.initialized = true
	k.draft = version == acp.DraftVersion
	greeted := k.garbage != ""
	k.mu.Unlock()
	if greeted {
		k.warnOfGarbage()
	}
}

// speaksDraft reports whether the connection is in version 2.
func (k *client) speaksDraft() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.draft
}

// codeUnsupportedVersion is that of an agent which speaks only higher versions (version 2,
// "Initialization").
const codeUnsupportedVersion = -32022

// initializeError says why initialize has failed.
func (k *client) initializeError(err error) error {
	e, ok := errors.AsType[*rpcError](err)
	if !ok || e.failure.Code != codeUnsupportedVersion {
		return k.answerError(err, nil)
	}
	data, _ := jsonrpc.Parse(e.failure.Data)
	versions := ""
	supported, _ := data.Get("supported")
	for v := range supported.Items() {
		if len(versions) < maxNameShow {
			versions += " " + clip(string(v.Raw()), 20)
		}
	}
	return k.fail(k.versionText(cmp.Or(clip(versions, maxNameShow), " other versions")[1:]))
}

// versionText says that there is no version that the agent and we speak.
func (k *client) versionText(theirs string) string {
	ours := "1 and 2"
	if k.config.MaxVersion == acp.ProtocolVersion {
		ours = "1"
	}
	return fmt.Sprintf("the agent speaks ACP %s; this client speaks %s: use another release of one of them", theirs, ours)
}

// answerError turns an answer that says no into what a person can do about it.
func (k *client) answerError(err error, methods []method) error {
	e, ok := errors.AsType[*rpcError](err)
	switch {
	case !ok:
		return err
	case needsLogin(err):
		return k.fail(loginText(methods))
	}
	return k.fail(e.Error())
}

// authenticate logs in.
func (k *client) authenticate(ctx context.Context, methods []method) error {
	for _, m := range methods {
		if m.id != k.config.Auth {
			continue
		}
		if m.terminal {
			return k.fail("this login is a command of its own: run " + m.command)
		}
		name := "authenticate"
		if k.speaksDraft() {
			name = "auth/login"
		}
		_, err := k.before(ctx, k.call(name, func(dst []byte) []byte {
			return append(jsonrpc.AppendString(append(dst, `{"methodId":`...), m.id), '}')
		}))
		if e, ok := errors.AsType[*rpcError](err); ok {
			return k.fail(e.Error() + ": the login has failed")
		}
		return err
	}
	if len(methods) == 0 {
		return k.fail("the agent knows no login, so also none by --auth: log in by its own command in a terminal")
	}
	return k.fail(fmt.Sprintf("the agent knows no login --auth %s: %s", k.config.Auth, loginText(methods)))
}
