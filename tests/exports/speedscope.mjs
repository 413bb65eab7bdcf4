// speedscope's own page in a headless Chromium.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { skip } from './exported.mjs';

const folder = path.dirname(createRequire(import.meta.url).resolve('speedscope/package.json'));

/** The published schema of the file format. */
export const schema = JSON.parse(readFileSync(path.join(folder, 'dist/release/file-format-schema.json'), 'utf8'));

/** Why tests of it are skipped; false if they are not. */
export const lacksBrowser = process.env.CHROMIUM ? false : skip('chromium');

const launched = lacksBrowser ? null : await chromium.launch({
  executablePath: process.env.CHROMIUM,
  // Containers have no user namespaces for the sandbox; the pages are our own.
  args: ['--no-sandbox'],
});

/** Runs `body` with a page, which may not complain of anything. */
export async function withPage(body) {
  const context = await launched.newContext({ acceptDownloads: true });
  const page = await context.newPage();
  const complaints = [];
  page.on('pageerror', (error) => complaints.push(error.stack));
  page.on('dialog', (dialog) => {
    complaints.push(dialog.message());
    dialog.dismiss();
  });
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  try {
    const result = await body(page).catch((error) => complaints.push(error.stack));
    if (complaints.length > 0) throw new Error(complaints.join('\n'));
    return result;
  } finally {
    await context.close();
  }
}

/** Imports `file` as a person does, and returns what the page understood: its own export of the profiles. */
export function understood(file) {
  return withPage(async (page) => {
    await page.goto(pathToFileURL(path.join(folder, 'dist/release/index.html')).href);
    await page.setInputFiles('#file', file);
    const exporting = page.getByText('Export', { exact: false }).first();
    await exporting.waitFor();
    const downloading = page.waitForEvent('download');
    await exporting.click();
    const download = await downloading;
    return JSON.parse(readFileSync(await download.path(), 'utf8'));
  });
}

/** What a profile of such an export has in all. */
export function totalOf(profile) {
  const sum = (numbers) => numbers.reduce((one, other) => one + other, 0);
  return profile.type === 'evented' ? profile.endValue - profile.startValue : sum(profile.weights);
}

export const closed = () => launched?.close();
