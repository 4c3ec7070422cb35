// CodeMirror, put together from its packages.

import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { bracketMatching, HighlightStyle, StreamLanguage, syntaxHighlighting } from '@codemirror/language';
import { shell } from '@codemirror/legacy-modes/mode/shell';
import { EditorState } from '@codemirror/state';
import { drawSelection, EditorView, highlightActiveLine, highlightSpecialChars, keymap, lineNumbers } from '@codemirror/view';
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
  '&.cm-focused': { outline: '2px solid var(--link)', outlineOffset: '-2px' },
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
    lineNumbers(), history(), drawSelection(), bracketMatching(), highlightSpecialChars(), highlightActiveLine(), EditorView.lineWrapping,
    StreamLanguage.define(shell), syntaxHighlighting(colours), theme,
    keymap.of([...defaultKeymap, ...historyKeymap]),
    EditorView.contentAttributes.of({ 'aria-label': 'Text of the file' }),
    EditorView.updateListener.of((u) => u.docChanged && changed()),
  ];
  // What is read is written as it was: lines end as the first of them does.
  const state = (doc) => EditorState.create({ doc, extensions: [...extensions, EditorState.lineSeparator.of(/\r?\n/.exec(doc)?.[0] ?? '\n')] });
  const view = new EditorView({ state: state(''), parent: place });
  return {
    get: () => view.state.sliceDoc(),
    set: (text) => view.setState(state(text)),
    focus: () => view.focus(),
    onChange: (f) => (changed = f),
  };
}
