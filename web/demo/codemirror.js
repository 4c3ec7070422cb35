// CodeMirror, put together from its packages.

import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { bracketMatching, HighlightStyle, StreamLanguage, syntaxHighlighting } from '@codemirror/language';
import { shell } from '@codemirror/legacy-modes/mode/shell';
import { EditorState } from '@codemirror/state';
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.controlKeyword], color: 'light-dark(#8a1f8a, #e39be3)' },
  { tag: tags.string, color: 'light-dark(#0b6b2d, #6fd490)' },
  { tag: tags.comment, color: 'light-dark(#595959, #a8adb5)', fontStyle: 'italic' },
  { tag: [tags.variableName, tags.definition(tags.variableName)], color: 'light-dark(#0a50b0, #8ebeff)' },
  { tag: [tags.number, tags.atom, tags.meta], color: 'light-dark(#7a5300, #e5c15c)' },
]);

const theme = EditorView.theme({
  '&': { height: '100%', fontSize: '13px' },
  '.cm-content': { fontFamily: 'ui-monospace, monospace', caretColor: 'currentColor' },
  '.cm-gutters': { background: 'transparent', color: 'light-dark(#595959, #a8adb5)', border: '0' },
  '.cm-activeLine': { background: 'light-dark(#8881, #fff1)' },
  '.cm-cursor': { borderLeftColor: 'currentColor' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': { background: '#4f86d066' },
});

/** codemirror makes an editor in place. Tab leaves it, as it does elsewhere in a page. */
export function codemirror(place) {
  let changed = () => {};
  const extensions = [
    lineNumbers(), history(), drawSelection(), bracketMatching(), highlightActiveLine(), EditorView.lineWrapping,
    StreamLanguage.define(shell), syntaxHighlighting(colours), theme,
    keymap.of([...defaultKeymap, ...historyKeymap]),
    EditorView.contentAttributes.of({ 'aria-label': 'Text of the file' }),
    EditorView.updateListener.of((u) => u.docChanged && changed()),
  ];
  const state = (doc) => EditorState.create({ doc, extensions });
  const view = new EditorView({ state: state(''), parent: place });
  return {
    get: () => view.state.doc.toString(),
    set: (text) => view.setState(state(text)),
    onChange: (f) => (changed = f),
  };
}
