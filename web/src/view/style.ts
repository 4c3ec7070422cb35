import type { ITheme } from '@xterm/xterm';

/**
 * The view's styles. A page changes them by its own rules for the same classes, and chooses light
 * or dark by color-scheme on any element around the view.
 */
const css = `
.terrarium {
  --terrarium-edge: light-dark(#8a8a8a, #767676); --terrarium-plain: light-dark(#3b3b3b, #cfcfcf);
  --terrarium-good: light-dark(#0b6b2d, #6fd490); --terrarium-bad: light-dark(#a3141c, #ff9a94);
  --terrarium-link: light-dark(#0a50b0, #8ebeff);
  display: flex; flex-direction: column; min-width: 0; box-sizing: border-box; position: relative;
  border: 1px solid var(--terrarium-edge); border-radius: 6px; overflow: hidden;
  background: light-dark(#fff, #16181d); color: light-dark(#1b1b1b, #e8e8e8);
  font: 13px/1.4 system-ui, sans-serif;
}
.terrarium [hidden] { display: none !important; }
.terrarium-bar { display: flex; flex-wrap: wrap; gap: 4px 6px; align-items: center; padding: 4px 8px; }
.terrarium-name { font-family: ui-monospace, monospace; flex: 1 1 8em; min-width: 0; overflow: hidden;
  text-overflow: ellipsis; white-space: nowrap; }
.terrarium-state { white-space: nowrap; color: var(--terrarium-plain); }
.terrarium-state[data-state=good] { color: var(--terrarium-good); }
.terrarium-state[data-state=bad] { color: var(--terrarium-bad); }
.terrarium button, .terrarium summary, .terrarium input {
  font: inherit; color: inherit; background: light-dark(#f2f2f2, #24272e); cursor: pointer;
  border: 1px solid var(--terrarium-edge); border-radius: 4px; padding: 1px 8px; min-height: 24px;
  box-sizing: border-box;
}
.terrarium input { cursor: text; min-width: 0; flex: 1 1 8em; }
.terrarium button:disabled { opacity: .6; cursor: default; }
.terrarium button[aria-pressed=true] { background: light-dark(#1b1b1b, #e8e8e8); color: light-dark(#fff, #16181d); }
.terrarium :focus-visible { outline: 2px solid var(--terrarium-link); outline-offset: -2px; }
.terrarium summary { list-style: none; display: flex; align-items: center; }
.terrarium summary::-webkit-details-marker { display: none; }
.terrarium-menu { position: relative; }
.terrarium-menu > div { position: absolute; right: 0; top: 100%; z-index: 20; display: grid; padding: 4px; gap: 4px;
  width: max-content; max-width: 80vw; background: light-dark(#fff, #16181d);
  border: 1px solid var(--terrarium-edge); border-radius: 4px; }
.terrarium-menu[open] { z-index: 20; }
.terrarium:has(.terrarium-menu[open]) { overflow: visible; }
.terrarium-menu button { text-align: left; }
.terrarium-screen { overflow: auto hidden; flex: 1 1 auto; min-height: 0; padding: 4px 0 2px 6px;
  border: solid var(--terrarium-edge); border-width: 1px 2px; border-inline-color: transparent; background: light-dark(#fff, #101216); }
.terrarium-screen:focus-within { outline: 2px solid var(--terrarium-link); outline-offset: -2px; }
.terrarium-screen .xterm { width: max-content; min-width: 100%; }
.terrarium-fit .terrarium-screen { overflow: hidden; min-height: 6em; }
.terrarium-still { margin: 0; overflow: hidden; font-family: ui-monospace, monospace; line-height: 1.2; }
.terrarium-text { margin: 0; padding: 4px 8px; overflow: auto; max-height: 60vh; white-space: pre-wrap;
  overflow-wrap: anywhere; border-block: 1px solid var(--terrarium-edge);
  font: 13px/1.35 ui-monospace, monospace; }
.terrarium-ask { border-bottom: 1px solid var(--terrarium-edge); }
.terrarium-ask code { flex: 1 1 100%; max-height: 6em; overflow: auto; white-space: pre-wrap; overflow-wrap: anywhere; }
.terrarium-foot { font-size: 12px; color: var(--terrarium-plain); font-variant-numeric: tabular-nums; }
.terrarium-foot > span:not([hidden], :empty) ~ span:not([hidden], :empty)::before { content: '· '; }
.terrarium-heard { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
@media (forced-colors: active) {
  .terrarium .xterm-cursor, .terrarium .xterm-selection div { forced-color-adjust: none; }
  .terrarium button[aria-pressed=true] { forced-color-adjust: none; background: Highlight; color: HighlightText; }
}
`;

const sheets = new WeakMap<Document, CSSStyleSheet>();

/** addStyles gives the styles to the tree that element is in, once. */
export function addStyles(element: HTMLElement): void {
  const document = element.ownerDocument;
  const root = element.getRootNode();
  const holder = root instanceof ShadowRoot ? root : document;
  let sheet = sheets.get(document);
  if (!sheet) {
    sheet = new (document.defaultView ?? window).CSSStyleSheet();
    sheet.replaceSync(css);
    sheets.set(document, sheet);
  }
  if (!holder.adoptedStyleSheets.includes(sheet)) holder.adoptedStyleSheets.push(sheet);
}

const selection = { selectionBackground: '#4f86d080', selectionInactiveBackground: '#4f86d066' };

/** Darker than usual on white; where that is not enough, xterm.js changes the text's colour. */
const light: ITheme = {
  ...selection, background: '#ffffff', foreground: '#1b1b1b', cursor: '#1b1b1b', cursorAccent: '#ffffff',
  black: '#1b1b1b', red: '#a3141c', green: '#0b6b2d', yellow: '#7a5300', blue: '#0a50b0', magenta: '#8a1f8a',
  cyan: '#00636e', white: '#d8d8d8', brightBlack: '#595959', brightRed: '#c01822', brightGreen: '#0f7a36',
  brightYellow: '#8a5e00', brightBlue: '#1a61c9', brightMagenta: '#a02aa0', brightCyan: '#00717d', brightWhite: '#ffffff',
};

const dark: ITheme = {
  ...selection, background: '#101216', foreground: '#e8e8e8', cursor: '#e8e8e8', cursorAccent: '#101216',
  black: '#24272e', red: '#ff8a84', green: '#6fd490', yellow: '#e5c15c', blue: '#8ebeff', magenta: '#e39be3',
  cyan: '#6cd5e0', white: '#d8d8d8', brightBlack: '#9aa0a8', brightRed: '#ffa7a2', brightGreen: '#8fe3a9',
  brightYellow: '#f0d27e', brightBlue: '#a9ceff', brightMagenta: '#eeb4ee', brightCyan: '#90e3ec', brightWhite: '#ffffff',
};

/** theme returns what the terminal's own colours are, as color-scheme says around element. */
export function theme(element: HTMLElement): ITheme {
  const probe = element.ownerDocument.createElement('i');
  probe.style.color = 'light-dark(#000, #fff)';
  element.append(probe);
  const white = getComputedStyle(probe).color === 'rgb(255, 255, 255)';
  probe.remove();
  return white ? dark : light;
}
