import type { Files } from '@terrarium/web';
import * as monaco from 'monaco-editor/editor';

type Model = monaco.editor.ITextModel;

/** Monaco's models of files: what is typed is what commands read, and what they write is shown. */
export class Documents {
  #saving = new Map<string, number>(); // by path: how many writes are under way
  #showing = false; // what changes is not typed

  constructor(private files: Files) {
    files.onChange((changes) => {
      for (const model of monaco.editor.getModels()) {
        if (changes === 'all' || changes.some((c) => c.path === model.uri.path)) void this.#read(model);
      }
    });
  }

  async open(path: string): Promise<Model> {
    const uri = monaco.Uri.file(path);
    const text = new TextDecoder().decode(await this.files.readFile(path));
    const known = monaco.editor.getModel(uri);
    if (known) return known;
    const model = monaco.editor.createModel(text, undefined, uri);
    model.onDidChangeContent(() => this.#showing || this.#write(path, model));
    return model;
  }

  async #write(path: string, model: Model): Promise<void> {
    this.#saving.set(path, (this.#saving.get(path) ?? 0) + 1);
    await this.files.writeFile(path, model.getValue());
    this.#saving.set(path, this.#saving.get(path)! - 1);
    await this.#read(model); // a command may have written it meanwhile
  }

  async #read(model: Model): Promise<void> {
    const { path } = model.uri;
    try {
      const text = new TextDecoder().decode(await this.files.readFile(path));
      if (this.#saving.get(path) || text === model.getValue()) return; // what is typed is newer
      this.#showing = true;
      model.setValue(text);
      this.#showing = false;
    } catch (e) {
      if ((e as { reason?: string }).reason === 'file_not_found') model.dispose();
    }
  }
}
