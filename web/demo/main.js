// The demo: a small IDE in a page, with a sandbox of its own and an agent that works in it.

import { createTerminals } from '@terrarium/web';
import { commandLine, visible } from '@terrarium/web/xterm';
import { Client, policy } from './client.js';
import { $, h } from './dom.js';
import { Editor, field } from './editor.js';
import { Log } from './log.js';
import { ask, manage } from './manage.js';
import { files, root } from './project.js';
import { Tabs } from './tabs.js';
import { Tree } from './tree.js';

/** The commands that come with Terrarium, each fetched when it is first used. */
async function plugins() {
  const base = new URL('../plugins/', import.meta.url);
  const response = await fetch(new URL('index.json', base));
  if (!response.ok) throw new Error(`the list of commands is missing: ${response.status} ${response.url}`);
  const index = await response.json();
  return index.plugins.map((p) => ({ ...p, by: index.by, source: new URL(`${p.name}.wasm.gz`, base) }));
}

const states = { starting: 'starting…', ready: 'ready', dead: 'the sandbox has died', closed: 'closed' };

/** trouble says what is wrong, with what may help. */
function trouble(title, error, ...buttons) {
  $('trouble').replaceChildren(h('strong', {}, title), h('p', {}, visible(error?.message ?? '')), ...(error?.trace ? report(error) : []), ...buttons);
  $('trouble').hidden = false;
}

/** report offers what we need to know of a sandbox that has died, to be read and copied. */
function report({ message, trace }) {
  const text = `${message}\n${navigator.userAgent}\n\n${trace}`;
  const details = h('details', {}, h('summary', {}, 'For a report'), h('pre', { tabindex: '0' }, text));
  const copied = h('span', { role: 'status' });
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      copied.textContent = 'copied';
    } catch {
      details.open = true;
      getSelection().selectAllChildren(details.lastChild);
      copied.textContent = 'the browser did not let us: it is selected now';
    }
  };
  return [details, h('button', { type: 'button', click: copy }, 'Copy report'), ' ', copied, ' '];
}

let log;
let terminals;
let editor;
const save = () => editor?.save();

/**
 * sandbox makes one whose files are there again after a reload, where the browser can keep them
 * and no other tab has them.
 */
async function sandbox(options) {
  try {
    return await createTerminals({ ...options, storage: 'demo' });
  } catch (e) {
    if (e.reason === 'storage_locked') $('kept').textContent = 'Another tab has the files that are kept. Those of this one will not be kept.';
    else if (e.reason === 'no_storage') $('kept').textContent = `Files will not be kept: ${e.message}`;
    else throw e;
    return createTerminals(options);
  }
}

try {
  terminals = await sandbox({
    commands: await plugins(),
    files,
    cwd: root,
    env: {
      HOME: '/work', TERM: 'xterm-256color', PS1: '\\w $ ',
      GIT_AUTHOR_NAME: 'A. Gent', GIT_AUTHOR_EMAIL: 'agent@example.org',
      GIT_COMMITTER_NAME: 'A. Gent', GIT_COMMITTER_EMAIL: 'agent@example.org',
    },
    policy: policy(() => log, save),
  });
} catch (e) {
  $('state').textContent = 'no sandbox';
  trouble('The sandbox does not start.', e);
  throw e;
}

log = new Log(terminals);
const tabs = new Tabs();
let client = new Client(terminals, log, save);

const tree = new Tree(terminals.files, root, (path) => editor.open(path));
editor = new Editor(terminals.files, await field($('editor-place')), (path) => tree.opened(path));
manage(terminals.files, tree, editor);

// State, and what goes wrong.
function showState(state, error) {
  $('state').textContent = states[state];
  for (const id of ['new-file', 'new-folder', 'shell', 'loop', 'flood', 'bomb', 'stop-all', 'clear', 'agent-run', 'reset']) $(id).disabled = state !== 'ready';
  if (state === 'ready') $('trouble').hidden = true;
  if (state !== 'dead') return;
  trouble('The sandbox has died. The rest of the page is unharmed.', error, h('button', { type: 'button', click: restart }, 'Start it again'));
}

async function restart() {
  log.clear();
  await terminals.restart();
  client = new Client(terminals, log, save);
  await tree.read();
}

terminals.on('state', showState);
terminals.on('storage', (e) => ($('kept').textContent = e.message));
terminals.on('load', ({ name, phase, loaded }) => {
  $('state').textContent = phase === 'done' || phase === 'failed' ? states[terminals.state] : `${name}: ${phase} ${(loaded / 1e6).toFixed(1)} MB`;
});
terminals.on('open', (terminal) => {
  if (terminal.origin === 'agent') tabs.add(terminal, `agent: ${commandLine(terminal.status.command, terminal.status.args)}`.slice(0, 80));
});
terminals.on('evict', (terminal) => tabs.remove(terminal));
addEventListener('beforeunload', (e) => {
  if (editor.unsaved || tabs.terminals.some((t) => t.origin === 'agent' && t.status.state === 'running')) e.preventDefault();
  save(); // while the person is asked
});

// Terminals of the person's own.
const button = (id, name, options) => {
  $(id).addEventListener('click', async () => {
    try {
      tabs.open(await terminals.create(options), name, true);
    } catch (e) {
      trouble(`${name} does not start.`, e);
    }
  });
};
button('shell', 'shell', { command: 'bash', args: ['-i'] });
button('loop', 'infinite loop', { command: 'while :; do :; done' });
button('flood', '64 MB flood', { command: "yes 'All work and no play makes Jack a dull boy.' | head -c 64000000; echo; echo 'That were 64 MB.'" });
button('bomb', 'fork bomb', { command: `export BOMB='sh -c "$BOMB" & sh -c "$BOMB" & wait'; sh -c "$BOMB"` });
$('stop-all').addEventListener('click', () => Promise.allSettled(terminals.list().map((t) => t.kill())));
$('clear').addEventListener('click', () => {
  for (const terminal of tabs.terminals) {
    if (['queued', 'asking', 'running'].includes(terminal.status.state)) continue;
    tabs.remove(terminal);
    if (terminal.origin === 'page') terminal.release().catch(() => {}); // released already
  }
});

/** begin shows what the project is about. */
async function begin() {
  await editor.open(`${root}/greet.sh`);
  await tree.reveal(`${root}/greet.sh`);
}

// The files as they were at first: what is kept may be what an agent has done with them.
$('reset').addEventListener('click', () =>
  ask(['Delete all files, and begin with those that were there at first?'], 'Start over', undefined, async () => {
    for (const [name] of await terminals.files.readDirectory(root)) await terminals.files.delete(`${root}/${name}`, { recursive: true });
    for (const [path, text] of Object.entries(files)) await terminals.files.writeFile(path, text);
    await begin();
  }));

// The agent.
$('agent-run').addEventListener('click', async () => {
  log.clear();
  $('agent-run').hidden = true;
  $('agent-stop').hidden = false;
  $('agent-stop').focus();
  try {
    const reason = await client.prompt('Teach greet.sh to shout when it is called with --shout.');
    if (reason === 'cancelled') log.say('The agent was stopped.');
  } catch (e) {
    log.say(`The agent failed: ${e.message}`);
  }
  $('agent-run').hidden = false;
  $('agent-stop').hidden = true;
});
$('agent-stop').addEventListener('click', () => client.cancel());

// How many frames the page draws: a flood should not change it.
let frames = 0;
const count = () => {
  frames++;
  requestAnimationFrame(count);
};
requestAnimationFrame(count);
setInterval(() => {
  $('frames').textContent = `${frames} frames/s`;
  frames = 0;
}, 1000);

await begin();
showState(terminals.state);
try {
  await terminals.ready;
  showState(terminals.state);
  document.documentElement.dataset.ready = 'true';
  tabs.open(await terminals.create({ command: 'bash', args: ['-i'] }), 'shell', true);
} catch (e) {
  trouble('The sandbox does not start.', e);
}
