package acp

import (
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

const maxSubscriptions = 256

// Sights is what a [Feed] sees of the terminals of its connection.
type Sights interface {
	// Terminals returns the ids of those that there are, also of released ones.
	Terminals() []core.TerminalID
	// FollowNew says whether output of those of a session that Follow does not know yet is to be
	// kept for TakeOutput, from the first byte on.
	FollowNew(s core.SessionID, on bool)
	// Follow says what is to be kept of a terminal, nothing if topics is 0. It returns the offset
	// of the first byte of output that TakeOutput will have.
	Follow(id core.TerminalID, topics Topics) (offset uint64)
	// Written returns how many bytes of output there were ever.
	Written(id core.TerminalID) uint64
	// TakeOutput appends at most so many bytes of output that were not taken. offset is that of the
	// first one: some before it may be lost. more says that there are others.
	TakeOutput(dst []byte, id core.TerminalID, most int) (out []byte, offset uint64, more bool)
	// HasScreen reports whether there is a screen to follow.
	HasScreen(id core.TerminalID) bool
	// ForgetScreen has TakeScreen begin anew.
	ForgetScreen(id core.TerminalID)
	// TakeScreen appends about so many bytes of what the screen shows and was not taken, as
	// vt.Follower does; nothing if that is nothing. more says that it is to be called again, after
	// a pause; ok is false if there is no screen.
	TakeScreen(dst []byte, id core.TerminalID, most int) (out []byte, more, ok bool)
}

// A Feed tells the peer of a Conn what its terminals write, show and become, of those that it
// subscribes to. Nothing is told until Take is called, and then what is true by then: so a peer
// that reads slowly gets less of it and not late, and memory is bounded.
//
// It is part of the Conn's state, and apart from it for the reason that an [Asker] is.
type Feed struct {
	conn     *Conn
	sights   Sights
	topics   map[subscription]Topics
	followed map[core.TerminalID]*followed

	owed []core.TerminalID // there is something to tell of them, the longest first
	// their turn came when screens were left alone: they are first after that
	skipped  []core.TerminalID
	later    []core.TerminalID // their screens have more to tell then: they are last
	screenAt time.Time
}

// A subscription is to one terminal of a session, or to all of them if terminal is "".
type subscription struct {
	session  core.SessionID
	terminal core.TerminalID
}

// followed is a terminal that the peer has subscribed to.
type followed struct {
	session core.SessionID
	topics  Topics
	owes    Topics // what there may be to tell
	waits   bool   // it is in Feed.owed, skipped or later

	offset     uint64 // of the output that is told next
	ended      bool   // that its command has ended was heard, or seen
	end        uint64 // the status waits for output before it
	looks      int    // at the screen since there is something new to tell of the status
	introduced bool   // a status was told
	screenless bool   // that there is no screen was told
	gone       bool   // when all is told it is forgotten
}

// NewFeed returns the Feed of c, which must not have handled anything yet. The machine must allow
// screens (core.Config.Screens).
func NewFeed(c *Conn, s Sights) *Feed {
	f := &Feed{
		conn: c, sights: s,
		topics: make(map[subscription]Topics), followed: make(map[core.TerminalID]*followed),
	}
	c.feed = f
	return f
}

// feeding is what a Conn tells its Feed.
type feeding interface {
	subscribe(id jsonrpc.ID, params jsonrpc.Value) error
	unsubscribe(id jsonrpc.ID, params jsonrpc.Value) error
	// wantsScreen reports whether a new terminal of the session is to have a screen.
	wantsScreen(s core.SessionID) bool
	// news takes Started, Exited and Evicted. It gets no *core.Effect, which would escape through
	// an interface: each effect would be allocated, in the reactor too.
	news(kind core.EffectKind, s core.SessionID, id core.TerminalID)
	released(id core.TerminalID)
	// closed says that the session is gone, gone that all are.
	closed(s core.SessionID)
	gone()
	meta() []byte
}

func (f *Feed) meta() []byte { return feedMeta() }

func (f *Feed) subscribe(id jsonrpc.ID, params jsonrpc.Value) error {
	var r SubscribeRequest
	if err := r.DecodeJSON(params); err != nil {
		return err
	}
	key, err := f.subscription(&r)
	if err != nil {
		return err
	}
	if key.terminal != "" && r.What&TopicScreen != 0 && !f.sights.HasScreen(key.terminal) {
		return &terminalError{id: string(key.terminal), reason: "no_screen"}
	}
	if _, there := f.topics[key]; !there && len(f.topics) >= maxSubscriptions {
		return &core.LimitError{Limit: "subscriptions", Max: maxSubscriptions}
	}
	f.topics[key] = r.What
	f.conn.answer(id, new(EmptyResponse).AppendJSON)
	f.changed(key, r.What)
	return nil
}

func (f *Feed) unsubscribe(id jsonrpc.ID, params jsonrpc.Value) error {
	var r SubscribeRequest
	if err := r.decode(params).err; err != nil {
		return err
	}
	key := subscription{session: core.SessionID(r.SessionID)}
	if r.TerminalID != nil {
		key.terminal = core.TerminalID(*r.TerminalID) // which may be gone by now
		if key.terminal == "" {
			return unknownTerminal("")
		}
	}
	_, there := f.topics[key]
	delete(f.topics, key)
	f.conn.answer(id, new(EmptyResponse).AppendJSON)
	if there { // else the terminal may be one of another session, or none
		f.changed(key, 0)
	}
	return nil
}

// subscription returns what r names, if it is there.
func (f *Feed) subscription(r *SubscribeRequest) (subscription, error) {
	key := subscription{session: core.SessionID(r.SessionID)}
	if r.TerminalID == nil {
		return key, nil
	}
	var err error
	key.terminal, _, err = f.conn.terminal(&TerminalRequest{SessionID: r.SessionID, TerminalID: *r.TerminalID})
	return key, err
}

// changed follows the terminals of a subscription as it is now. The peer has asked for what.
func (f *Feed) changed(key subscription, what Topics) {
	if key.terminal != "" {
		f.follow(key.session, key.terminal, what)
		return
	}
	f.followNew(key.session)
	for _, id := range f.sights.Terminals() {
		if s, ok := f.conn.terminals.Status(id); ok && s.Session == key.session && s.State >= core.StateRunning {
			f.follow(key.session, id, what)
		}
	}
}

// followNew tells whether output of terminals that start in a session is to be kept.
func (f *Feed) followNew(s core.SessionID) {
	f.sights.FollowNew(s, f.topics[subscription{session: s}]&TopicBytes != 0)
}

// follow follows a terminal as the subscriptions say. What is asked for, or new, is owed from its
// beginning.
func (f *Feed) follow(s core.SessionID, id core.TerminalID, asked Topics) {
	topics := f.topics[subscription{session: s}] | f.topics[subscription{s, id}]
	t := f.followed[id]
	if topics == 0 {
		f.drop(id)
		return
	}
	if t == nil {
		t = &followed{session: s}
		f.followed[id] = t
	}
	before := t.topics
	t.topics = topics
	offset := f.sights.Follow(id, topics)
	if topics&^before&TopicBytes != 0 {
		t.offset = offset
	}
	anew := topics & (asked | topics&^before)
	if anew&TopicScreen != 0 {
		t.screenless = false
		f.sights.ForgetScreen(id)
	}
	if anew&TopicStatus != 0 {
		t.introduced = false
	}
	t.owes &= topics
	f.owe(id, anew)
}

// drop follows a terminal no more.
func (f *Feed) drop(id core.TerminalID) {
	f.sights.Follow(id, 0)
	delete(f.followed, id) // Take finds out
}

// owe says that there may be something to tell of a terminal.
func (f *Feed) owe(id core.TerminalID, topics Topics) {
	t := f.followed[id]
	if t == nil {
		return
	}
	t.owes |= topics & t.topics
	if t.owes != 0 && !t.waits {
		t.waits = true
		f.owed = append(f.owed, id)
	}
}

func (f *Feed) wantsScreen(s core.SessionID) bool {
	return f.topics[subscription{session: s}]&TopicScreen != 0
}

func (f *Feed) news(kind core.EffectKind, s core.SessionID, id core.TerminalID) {
	switch kind {
	case core.Started:
		f.follow(s, id, 0)
	case core.Exited:
		f.ended(id)
	case core.Evicted:
		if t := f.followed[id]; t != nil {
			t.gone = true
			f.owe(id, t.topics)
		}
	}
}

// ended takes the news of an end, of which tell may know.
func (f *Feed) ended(id core.TerminalID) {
	if t := f.followed[id]; t != nil && !t.ended {
		f.end(id, t)
		f.owe(id, 0)
	}
}

// end has a status told after the output that is there, of which HandleOutput need not have said.
func (f *Feed) end(id core.TerminalID, t *followed) {
	t.ended, t.end, t.looks = true, f.sights.Written(id), 0
	t.owes |= t.topics
}

func (f *Feed) released(id core.TerminalID) { f.owe(id, TopicStatus) }

func (f *Feed) closed(s core.SessionID) {
	for key := range f.topics {
		if key.session == s {
			delete(f.topics, key)
		}
	}
	for id, t := range f.followed {
		if t.session == s {
			f.drop(id)
		}
	}
	f.followNew(s)
}

func (f *Feed) gone() {
	for id := range f.followed {
		f.drop(id)
	}
	for key := range f.topics {
		delete(f.topics, key)
		f.followNew(key.session)
	}
}
