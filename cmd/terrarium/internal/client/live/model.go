package live

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// A model is a View as Bubble Tea wants it. What it shows is the View's.
type model struct {
	view      *View
	interrupt func()
}

// A refresh is the message that something has changed.
type refresh struct{}

// above is the message that has lines printed above what is drawn.
func above(lines []string) tea.Msg { return tea.Println(strings.Join(lines, "\n"))() }

// Init implements tea.Model.
func (m model) Init() tea.Cmd { return nil }

// Update implements tea.Model.
func (m model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.view.resize(msg.Width, msg.Height)
	case tea.KeyPressMsg:
		if msg.String() == "ctrl+c" {
			m.interrupt()
			return m, nil
		}
		m.view.key(msg.String())
	}
	return m, nil
}

// View implements tea.Model.
func (m model) View() tea.View {
	m.view.mu.Lock()
	defer m.view.mu.Unlock()
	if m.view.closed {
		return tea.NewView("")
	}
	lines := m.view.lines()
	m.view.heights[0] = max(m.view.heights[0], len(lines))
	return tea.NewView(strings.Join(lines, "\n"))
}
