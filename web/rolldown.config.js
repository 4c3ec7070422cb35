// Makes of src what pages fetch: a few small files, which need no other to be moved elsewhere.

import { fileURLToPath } from 'node:url';
import { defineConfig } from 'rolldown';

/** Go's own script, which cmd/dev has taken from the toolchain that builds sandbox.wasm. */
const goScript = fileURLToPath(new URL('dist/wasm_exec.js', import.meta.url));

const licence = '/*! Has wasm_exec.js, Copyright 2018 The Go Authors: BSD licence, https://go.dev/LICENSE */';

/** What the entries share has a name of its own, however it is cut. */
const chunkFileNames = ({ isDynamicEntry }) => (isDynamicEntry ? '[name].js' : 'shared.js');

const build = (input, postBanner = '') => ({
  input,
  platform: 'browser',
  external: ['@xterm/xterm'],
  plugins: [
    {
      name: 'wasm_exec',
      resolveId: (id) => (id === './wasm_exec.js' ? { id: goScript, moduleSideEffects: true } : null),
    },
    {
      name: 'style sheet', // minifiers leave text as it is
      transform: {
        filter: { id: /view\/style\.ts$/ },
        handler: (code) => code.replace(/`[^`]+`/, (css) => css.replace(/\s*\n\s*|(?<=[;{},:]) | (?=[{}])/g, '')),
      },
    },
  ],
  transform: { target: 'es2023' },
  output: { dir: 'dist', format: 'esm', minify: true, comments: false, sourcemap: true, entryFileNames: '[name].js', chunkFileNames, postBanner },
});

export default defineConfig([
  build({ index: 'src/index.ts', xterm: 'src/xterm.ts', display: 'src/display.ts' }),
  build({ worker: 'src/worker.ts' }, licence), // alone, so that it needs no file of the page's
  build({ sidecar: 'src/sidecar.ts' }),
  // Not packed: tests run these without the rest.
  build({ guests: 'src/guests.ts' }),
  build({ views: 'src/views.ts' }),
]);
