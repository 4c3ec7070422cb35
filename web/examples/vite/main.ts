import '@xterm/xterm/css/xterm.css';
import { createTerminals } from '@terrarium/web';
import { plugins } from '@terrarium/web/plugins';
import { mount } from '@terrarium/web/xterm';

const terminals = await createTerminals({ commands: plugins, files: { '/work/hello.txt': 'hello from a page\n' } });
const shell = await terminals.create({ command: 'bash' });
mount(shell, document.body, { own: true }).focus();
