import type { Terminal as XTerm } from '@xterm/xterm';

/**
 * inert makes what a program prints draw characters and nothing else: no answers on its standard
 * input, no colours of the page's own changed, no title, no clipboard.
 *
 * Answers to queries are the machine's, so xterm.js must give none: exactly one party answers.
 * xterm.js has no handler for the clipboard (OSC 52), and a title is an event that nobody here
 * listens to; they are named so that an addon of the page's does not bring them back unseen.
 */
export function inert(term: XTerm): void {
  const nothing = () => true; // handled: xterm.js's own handler is not called
  for (const id of [
    { final: 'c' }, // DA1
    { prefix: '>', final: 'c' }, // DA2
    { prefix: '=', final: 'c' }, // DA3
    { final: 'n' }, // DSR
    { prefix: '?', final: 'n' },
    { intermediates: '$', final: 'p' }, // DECRQM
    { prefix: '?', intermediates: '$', final: 'p' },
    { prefix: '>', final: 'q' }, // XTVERSION
    { final: 't' }, // of the window: size, title, iconify
    { prefix: '?', final: 'u' }, // Kitty's keyboard
  ]) {
    term.parser.registerCsiHandler(id, nothing);
  }
  term.parser.registerDcsHandler({ intermediates: '$', final: 'q' }, nothing); // DECRQSS
  term.parser.registerDcsHandler({ intermediates: '+', final: 'q' }, nothing); // XTGETTCAP
  const titles = [0, 1, 2];
  const colours = [4, 5, 10, 11, 12, 13, 14, 17, 19, 104, 105, 110, 111, 112, 113, 114, 117, 119];
  const clipboard = 52;
  for (const id of [...titles, ...colours, clipboard]) {
    term.parser.registerOscHandler(id, nothing);
  }
}
