// A static server for the files of web/, and Chromium: what tests of pages need.

import { createServer } from 'node:http';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const root = fileURLToPath(new URL('../..', import.meta.url));
const types = {
  '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.mjs': 'text/javascript', '.css': 'text/css',
  '.json': 'application/json', '.wasm': 'application/wasm', '.svg': 'image/svg+xml',
};

/**
 * serve serves web/ on loopback, with these headers besides, some files (or JSON, or what answers)
 * in place of others, and what is below some paths from elsewhere in web/.
 */
export async function serve({ headers = {}, instead = {}, elsewhere = {} } = {}) {
  const server = createServer(async (request, response) => {
    let path = normalize(decodeURIComponent(new URL(request.url, 'http://x').pathname));
    for (const [from, to] of Object.entries(elsewhere)) if (path.startsWith(from)) path = to + path.slice(from.length);
    try {
      const file = instead[path] ?? (path.endsWith('/') ? `${path}index.html` : path);
      if (typeof file === 'function') return void file(response);
      if (typeof file === 'object') {
        response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(file));
        return;
      }
      const body = await readFile(join(root, file));
      response.writeHead(200, { 'content-type': types[extname(file)] ?? 'application/octet-stream', ...headers });
      response.end(body);
    } catch {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('not found');
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    close: () => new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections(); // browsers open some before they need them
    }),
  };
}

/**
 * When a test is taken for one that hangs, in milliseconds. Where much else runs, what takes a
 * second alone takes half a minute.
 */
export const hung = 600_000;

/** launch starts Chromium with a profile of its own, which goes with it. */
export async function launch(options = {}) {
  const profile = await mkdtemp(join(tmpdir(), 'terrarium-chromium-'));
  const browser = await chromium.launchPersistentContext(profile, {
    executablePath: process.env.TERRARIUM_CHROMIUM ?? '/usr/bin/chromium',
    headless: true,
    args: [
      '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
      '--disable-component-update', '--disable-sync',
    ],
    ...options,
  });
  browser.setDefaultTimeout(hung / 2);
  return {
    browser,
    close: async () => {
      await browser.close();
      await rm(profile, { recursive: true, force: true });
    },
  };
}

/** watchErrors collects what a page complains about. */
export function watchErrors(page) {
  const errors = [];
  page.on('console', (m) => {
    if (m.type() === 'error') errors.push(m.text());
  });
  page.on('pageerror', (e) => errors.push(String(e)));
  return errors;
}

/** axe returns what axe-core finds wrong with a page. */
export async function axe(page) {
  await page.evaluate(await readFile(join(root, 'node_modules/axe-core/axe.min.js'), 'utf8'));
  const { violations } = await page.evaluate(() => globalThis.axe.run());
  return violations.map((v) => `${v.id}: ${v.nodes.map((n) => `${n.target} ${n.any.map((a) => a.message)}`).join(' | ')}`);
}
