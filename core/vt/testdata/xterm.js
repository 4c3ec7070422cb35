// Shows what xterm.js makes of output. Each line of standard input is a case:
// {rows, cols, newline, scrollback, steps: [{write: base64} | {resize: [rows, cols]}]}.
// Each line of standard output is the screen: {rows, x, y, alt, history} or {error}.
'use strict';
const path = require('path');
const modules = process.argv[2];
const { Terminal } = require(path.join(modules, '@xterm/headless'));
const { Unicode11Addon } = require(path.join(modules, '@xterm/addon-unicode11'));

// The style of a cell: what its colours and attributes are, in the form of style in xterm_test.go.
function style(cell) {
  const color = (name, mode, value) => (mode === 'default' ? '' : `${name}${mode}${value} `);
  const fg = cell.isFgRGB() ? 'rgb' : cell.isFgPalette() ? 'pal' : 'default';
  const bg = cell.isBgRGB() ? 'rgb' : cell.isBgPalette() ? 'pal' : 'default';
  let out = color('bg', bg, cell.getBgColor());
  if (cell.getChars() === '') {
    return out; // nothing else shows
  }
  out = color('fg', fg, cell.getFgColor()) + out;
  for (const name of ['Bold', 'Dim', 'Italic', 'Blink', 'Inverse', 'Invisible', 'Strikethrough', 'Overline']) {
    if (cell['is' + name]()) {
      out += name.slice(0, 4);
    }
  }
  // Not what kind of underline: a hyperlink is one in the API, and DECRC does not bring it back.
  return out + (cell.fg & 0x10000000 ? 'u' : '');
}

function styles(line, cols) {
  const out = [];
  for (let x = 0; x < cols; x++) {
    const cell = line.getCell(x);
    if (x > 0 && line.getCell(x - 1).getWidth() === 2) {
      continue; // the second place of a wide character
    }
    out.push(style(cell));
  }
  while (out.length && out[out.length - 1] === '') {
    out.pop();
  }
  return out;
}

function run(test) {
  const term = new Terminal({
    rows: test.rows, cols: test.cols, convertEol: !!test.newline, scrollback: test.scrollback, allowProposedApi: true, logLevel: 'off',
  });
  term.loadAddon(new Unicode11Addon());
  term.unicode.activeVersion = '11';
  for (const step of test.steps) {
    if (step.resize) {
      term.resize(step.resize[1], step.resize[0]);
    } else {
      term._core._inputHandler.parse(new Uint8Array(Buffer.from(step.write, 'base64')));
    }
  }
  const buffer = term.buffer.active;
  const rows = [];
  for (let y = 0; y < term.rows; y++) {
    const line = buffer.getLine(buffer.baseY + y);
    rows.push({ text: line.translateToString(true, 0, term.cols), styles: styles(line, term.cols), wrapped: line.isWrapped });
  }
  const history = [];
  for (let y = 0; y < term.buffer.normal.baseY; y++) {
    history.push(term.buffer.normal.getLine(y).translateToString(true));
  }
  const out = { rows, x: buffer.cursorX, y: buffer.cursorY, alt: buffer.type === 'alternate', history };
  term.dispose();
  return out;
}

// Times are what the benchmark asks for: {bench: base64, rows, cols, times}.
function bench(test) {
  const data = new Uint8Array(Buffer.from(test.bench, 'base64'));
  const term = new Terminal({ rows: test.rows, cols: test.cols, convertEol: true, scrollback: 10000, allowProposedApi: true, logLevel: 'off' });
  term.loadAddon(new Unicode11Addon());
  term.unicode.activeVersion = '11';
  const parse = () => term._core._inputHandler.parse(data);
  parse();
  const start = process.hrtime.bigint();
  let n = 0;
  do {
    parse();
    n += data.length;
  } while (process.hrtime.bigint() - start < BigInt(test.milliseconds) * 1000000n);
  return { bytesPerSecond: n / (Number(process.hrtime.bigint() - start) / 1e9) };
}

require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const test = JSON.parse(line);
  let out;
  try {
    out = test.bench ? bench(test) : run(test);
  } catch (e) {
    out = { error: String(e) };
  }
  process.stdout.write(JSON.stringify(out) + '\n');
});
