import '@xterm/xterm/css/xterm.css';
import { createTerminals } from '@terrarium/web';
import { plugins } from '@terrarium/web/plugins';
import { mount } from '@terrarium/web/xterm';
import * as monaco from 'monaco-editor/editor';
import { Documents } from './documents.js';

// Without this, Monaco does its work in the page and says so in the console.
self.MonacoEnvironment = {
  getWorker: () => new Worker(new URL('monaco-editor/editor/editor.worker.js', import.meta.url), { type: 'module' }),
};

const terminals = await createTerminals({
  commands: plugins,
  files: { '/work/hello.sh': 'echo "hello, $1"\n', '/work/notes.md': '# Notes\n' },
});
const shell = await terminals.create({ command: 'bash' });
mount(shell, document.querySelector<HTMLElement>('#terminal')!, { own: true });

const editor = monaco.editor.create(document.querySelector<HTMLElement>('#editor')!, { automaticLayout: true });
const documents = new Documents(terminals.files);
const choice = document.querySelector('select')!;

async function list() {
  const names = (await terminals.files.readDirectory('/work')).filter(([, type]) => type === 1).map(([name]) => name);
  choice.replaceChildren(...names.map((name) => new Option(name, name, false, name === choice.value)));
}

const show = async () => editor.setModel(await documents.open(`/work/${choice.value}`));

terminals.files.onChange(list);
choice.addEventListener('change', show);
await list();
await show();
