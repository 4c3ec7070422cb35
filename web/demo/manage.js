// New files and folders, renaming and deleting, by the buttons above the tree.

import { $, h, name } from './dom.js';

/** manage connects the buttons. What is open in the editor follows. */
export function manage(files, tree, editor) {
  const button = (id, act) => $(id).addEventListener('click', () => act(tree.selected));
  const place = ({ path, isDirectory }) => (isDirectory ? path : above(path));
  const make = (what, act) => async (selected) => {
    const dir = place(selected);
    const done = await ask([`New ${what} in `, name(dir)], 'Make it', '', async (text) => {
      const path = `${dir}/${checked(text)}`;
      if (await exists(files, path)) throw new Error('There is one of that name already.');
      await act(path);
    });
    tree.focus();
    if (done === undefined) return;
    await tree.reveal(`${dir}/${done}`);
    tree.focus();
    if (what === 'file' && (await editor.open(`${dir}/${done}`))) editor.focus();
  };

  button('new-file', make('file', (path) => files.writeFile(path, '', { overwrite: false })));
  button('new-folder', make('folder', (path) => files.createDirectory(path)));
  button('rename', async ({ path }) => {
    const dir = above(path);
    const old = path.slice(dir.length + 1);
    const done = await ask(['New name of ', name(old)], 'Rename', old, async (text) => {
      const to = `${dir}/${checked(text)}`;
      if (to === path) return;
      await editor.save();
      await files.rename(path, to);
      await editor.moved(path, to);
    });
    if (done !== undefined) await tree.reveal(`${dir}/${done}`);
    tree.focus();
  });
  button('delete', async ({ path, isDirectory }) => {
    const question = isDirectory ? ['Delete ', name(path), ' and all that is in it?'] : ['Delete ', name(path), '?'];
    await ask(question, 'Delete', undefined, () => files.delete(path, { recursive: true }));
    await tree.read();
    tree.focus();
  });
}

const above = (path) => path.slice(0, path.lastIndexOf('/'));

const exists = (files, path) => files.stat(path).then(() => true, () => false);

/** checked is a name that a file can have. */
function checked(text) {
  if (text === '' || text === '.' || text === '..' || /[/\0]/.test(text)) throw new Error('A name is not empty, not . or .., and has no / in it.');
  return text;
}

/**
 * ask asks for a name, or whether to go on if there is no value to begin with. It does what was
 * agreed to and says what is wrong with it, until that succeeds or the person gives up; then it
 * returns the name, or undefined.
 */
export function ask(question, yes, value, act) {
  const wrong = h('p', { class: 'wrong', role: 'alert' });
  const input = value === undefined ? undefined : h('input', { 'aria-labelledby': 'ask-title', value, autocomplete: 'off', spellcheck: 'false' });
  const cancel = h('button', { type: 'button', click: () => dialog.close() }, 'Cancel');
  let done;
  const submit = async (e) => {
    e.preventDefault();
    try {
      const text = input?.value.trim() ?? '';
      await act(text);
      done = text;
      dialog.close();
    } catch (e) {
      wrong.replaceChildren(name(e.message));
    }
  };
  const dialog = h(
    'dialog', { 'aria-labelledby': 'ask-title' },
    h('form', { submit }, h('p', { id: 'ask-title' }, ...question), ...(input ? [input] : []), wrong, h('div', { class: 'bar' }, h('button', { class: 'main' }, yes), cancel)),
  );
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(done);
    });
    document.body.append(dialog);
    dialog.showModal();
    if (!input) return cancel.focus();
    input.focus();
    // All but the ending, which mostly stays.
    const dot = value.lastIndexOf('.');
    input.setSelectionRange(0, dot > 0 ? dot : value.length);
  });
}
