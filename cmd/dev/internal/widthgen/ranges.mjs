// Prints [first, last, width] for every run of code points of one width, as JSON.
import { createRequire } from 'node:module';

const require = createRequire(process.argv[2] + '/');
const { Unicode11Addon } = require('@xterm/addon-unicode11');

let provider;
new Unicode11Addon().activate({ unicode: { register: (p) => { provider = p; } } });

const runs = [];
for (let c = 0; c <= 0x10FFFF; c++) {
  const width = provider.wcwidth(c);
  const run = runs.at(-1);
  if (run?.[2] === width) run[1] = c;
  else runs.push([c, c, width]);
}
console.log(JSON.stringify(runs));
