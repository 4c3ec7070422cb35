import type { ILink, Terminal as XTerm } from '@xterm/xterm';

/** An address in plain text, without what ends the sentence around it. */
const address = /https?:\/\/[^\s"'<>`\\^{|}\u0000-\u0020]*[^\s"'<>`\\^{|}.,:;!?)\]\u0000-\u0020]/g;

/** links tells follow of the addresses that a person clicks, in plain text and of OSC 8 alike. */
export function links(term: XTerm, follow: (address: string) => void): void {
  const activate = (e: MouseEvent, text: string) => {
    e.preventDefault();
    const url = web(text);
    if (url) follow(url);
  };
  term.options.linkHandler = { activate };
  term.registerLinkProvider({
    provideLinks(y, callback) {
      callback(found(term, y).map((link) => ({ ...link, activate })));
    },
  });
}

/** web returns the address as a browser reads it, if it is one of the web. */
function web(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  return url.protocol === 'http:' || url.protocol === 'https:' ? url.href : undefined;
}

/** found returns the addresses that touch row y, counted from 1. */
function found(term: XTerm, y: number): Omit<ILink, 'activate'>[] {
  const buffer = term.buffer.active;
  const most = 50; // rows of one line: this runs whenever the pointer moves
  let first = y - 1;
  while (first > 0 && y - first < most && buffer.getLine(first)?.isWrapped) first--;
  const at: { x: number; y: number }[] = []; // of each character
  let text = '';
  for (let row = first; row < first + 2 * most; row++) {
    const line = buffer.getLine(row);
    if (!line || (row > first && !line.isWrapped)) break;
    for (let x = 0; x < line.length; x++) {
      const cell = line.getCell(x)!;
      if (cell.getWidth() === 0) continue;
      const chars = cell.getChars() || ' ';
      for (let i = 0; i < chars.length; i++) at.push({ x: x + 1, y: row + 1 });
      text += chars;
    }
  }
  return [...text.matchAll(address)]
    .map((m) => ({ text: m[0], range: { start: at[m.index]!, end: at[m.index + m[0].length - 1]! } }))
    .filter(({ range }) => range.start.y <= y && y <= range.end.y);
}
