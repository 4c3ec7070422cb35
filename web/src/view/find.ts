import type { IBuffer, IBufferCell, Terminal as XTerm } from '@xterm/xterm';

/** A line as the program wrote it: rows that were only wrapped are one. */
interface Line {
  readonly row: number;
  readonly text: string;
}

/** A match: the cell that it begins at, and its length in cells. */
interface Match {
  readonly row: number;
  readonly col: number;
  readonly length: number;
}

/** lines yields what the buffer holds, the scrollback first, without blanks at their ends. */
export function* lines(buffer: IBuffer): Generator<Line> {
  for (let row = 0; row < buffer.length; ) {
    const first = row;
    let text = '';
    do {
      const wraps = buffer.getLine(row + 1)?.isWrapped === true;
      text += buffer.getLine(row)!.translateToString(!wraps);
      row++;
    } while (buffer.getLine(row)?.isWrapped === true);
    yield { row: first, text };
  }
}

/**
 * find selects a place with query and says which of how many it is: the next one after the
 * selection for a step of 1, the one before it for -1, and for 0 what is selected itself if it
 * will do.
 */
export function find(term: XTerm, query: string, step: -1 | 0 | 1): string {
  const wanted = query.toLowerCase();
  if (wanted === '') return '';
  const at = term.getSelectionPosition()?.start;
  const from = at ? at.y * term.cols + at.x : step < 0 ? Infinity : -1;
  const found: Match[] = [];
  for (const line of lines(term.buffer.active)) {
    const text = line.text.toLowerCase();
    for (let i = text.indexOf(wanted); i >= 0; i = text.indexOf(wanted, i + wanted.length)) {
      found.push(locate(term, line.row, i, wanted.length));
    }
  }
  const position = (m: Match) => m.row * term.cols + m.col;
  const match = step < 0
    ? (found.findLast((m) => position(m) < from) ?? found.at(-1))
    : (found.find((m) => position(m) >= from + step) ?? found[0]);
  if (!match) return 'Not found';
  term.select(match.col, match.row, match.length);
  term.scrollToLine(Math.max(0, match.row - (term.rows >> 1)));
  return `${found.indexOf(match) + 1} of ${found.length}`;
}

/** locate finds the cells of n characters from character i on of the line that begins at row. */
function locate(term: XTerm, row: number, i: number, n: number): Match {
  const buffer = term.buffer.active;
  let cell: IBufferCell | undefined;
  const move = (position: number, chars: number) => {
    while (chars > 0 && position < buffer.length * term.cols) {
      cell = buffer.getLine(Math.floor(position / term.cols))?.getCell(position % term.cols, cell);
      // No width: the rest of a wide character.
      chars -= cell?.getWidth() === 0 ? 0 : cell?.getChars().length || 1;
      position++;
    }
    return position;
  };
  const start = move(row * term.cols, i);
  const end = move(start, n);
  return { row: Math.floor(start / term.cols), col: start % term.cols, length: end - start };
}
