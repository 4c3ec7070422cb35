import { createTerminals } from '@terrarium/web';
import { mount } from '@terrarium/web/xterm';

// The plugins that come with the package: a shell with its tools, and git.
const at = new URL('/node_modules/@terrarium/web/plugins/', location.href);
const { by, plugins } = await (await fetch(new URL('index.json', at))).json();

const terminals = await createTerminals({
  commands: plugins.map((p) => ({ ...p, by, source: new URL(p.name + '.wasm.gz', at) })),
  files: { '/work/hello.txt': 'hello from a page\n' },
});
const shell = await terminals.create({ command: 'bash' });
mount(shell, document.getElementById('terminal'), { own: true }).focus();
