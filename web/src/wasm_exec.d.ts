// Go's own script, which the build copies from the toolchain beside the worker.
import type { Go } from './guests.js';

declare global {
  var Go: new () => Go & {
    importObject: WebAssembly.Imports;
    run(instance: WebAssembly.Instance): Promise<void>;
  };
}
export {};
