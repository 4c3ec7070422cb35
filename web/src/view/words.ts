import type { EndedBy, TerminalStatus } from '../types.js';

/** A state in words, the sign that goes with it, and whether it is good news. */
export interface Words {
  readonly sign: string;
  readonly text: string;
  readonly tone: 'plain' | 'good' | 'bad';
}

const byWhom: Readonly<Record<EndedBy, string>> = {
  person: 'stopped by you', agent: 'stopped by its agent', timeout: 'stopped: it took too long',
  memory: 'stopped: too much memory', stack: 'stopped: its stack is full', fuel: 'stopped: it computed for too long',
  output: 'stopped: too much output', open_files: 'stopped: too many open files', disk: 'stopped: too much in its files',
  processes: 'stopped: too many processes', trap: 'crashed', signal: 'ended by a signal',
  sandbox: 'stopped with the sandbox', unknown: 'ended; nobody knows how',
};

/** words says what state a terminal is in. */
export function words(s: TerminalStatus): Words {
  switch (s.state) {
    case 'queued':
      return { sign: '…', text: 'queued', tone: 'plain' };
    case 'asking':
      return { sign: '?', text: 'waiting for permission', tone: 'plain' };
    case 'running':
      return { sign: '▶', text: 'running', tone: 'plain' };
    case 'failed':
      return { sign: '✗', text: `failed to start${s.error ? `: ${s.error.message}` : ''}`, tone: 'bad' };
    case 'killed':
      return { sign: '■', text: killed(s), tone: 'bad' };
    case 'exited':
      if (s.exit?.exitCode === 0) return { sign: '✓', text: 'exited 0', tone: 'good' };
      return { sign: '✗', text: typeof s.exit?.exitCode === 'number' ? `exited ${s.exit.exitCode}` : 'ended', tone: 'bad' };
  }
}

function killed(s: TerminalStatus): string {
  const how = byWhom[s.endedBy ?? 'unknown'] ?? 'stopped';
  return s.exit?.signal ? `${how} (${s.exit.signal})` : how;
}

/** duration says how long a command has run so far: 0:07, 12:05, 1:00:00. */
export function duration(s: TerminalStatus): string {
  if (s.started === undefined) return '';
  const seconds = Math.max(0, Math.floor(((s.ended ?? Date.now()) - s.started) / 1000));
  const parts = [Math.floor(seconds / 60) % 60, seconds % 60];
  if (seconds >= 3600) parts.unshift(Math.floor(seconds / 3600));
  return parts.map((n, i) => (i === 0 ? String(n) : String(n).padStart(2, '0'))).join(':');
}

/** size says how much n bytes are. */
export function size(n: number): string {
  if (n < 1000) return `${n} B`;
  if (n < 1e6) return `${(n / 1e3).toFixed(1)} kB`;
  return `${(n / 1e6).toFixed(1)} MB`;
}

/** Characters that are not seen, or that change the order in which others are. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * visible has all of a text seen, in the order that it has, but for letters that run the other
 * way.
 */
export function visible(text: string): string {
  return text.replace(unseen, (c) => `\\u{${c.codePointAt(0)!.toString(16)}}`);
}

/**
 * commandLine is what a person reads as the command: quoted for a shell, and all of it to be seen.
 */
export function commandLine(command: string, args: readonly string[]): string {
  const quoted = args.map((a) => (/^[\w@%+=:,./-]+$/.test(a) ? a : `'${a.replaceAll("'", "'\\''")}'`));
  return visible([command, ...quoted].join(' '));
}
