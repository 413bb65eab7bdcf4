// Pages in a headless Chromium, watched for errors and requests.

import assert from 'node:assert/strict';
import { pathToFileURL } from 'node:url';
import path from 'node:path';
import { chromium } from 'playwright-core';

/** The folder of the pages, as `ci/browser` has made them. */
export const PAGES = process.env.WORKSPAN_PAGES;

/** The command to compare with. */
export const WORKSPAN = process.env.WORKSPAN_COMMAND;

export const launched = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  // Containers have no user namespaces for the sandbox; the pages are our own.
  args: ['--no-sandbox'],
});

/**
 * Runs `body` with the page `name` opened at `hash`. Whatever it does, there may be no message on the console, no error, and no
 * request but that of the page.
 */
export async function withPage(name, { hash = '', width = 1280, height = 800, scheme = 'light' }, body) {
  const context = await launched.newContext({ viewport: { width, height }, colorScheme: scheme });
  const page = await context.newPage();
  const complaints = [];
  const address = pathToFileURL(path.join(PAGES, `${name}.html`)).href;
  page.on('console', (message) => complaints.push(`console: ${message.text()}`));
  page.on('pageerror', (error) => complaints.push(`error: ${error.stack}`));
  page.on('request', (request) => {
    const isOwn = request.url().split('#')[0] === address || request.url().startsWith('data:');
    if (!isOwn) complaints.push(`request: ${request.url()}`);
  });
  try {
    await page.goto(address + hash);
    await body(page);
    // What comes late is a complaint, too.
    await page.waitForTimeout(50);
    assert.deepEqual(complaints, []);
  } finally {
    await context.close();
  }
}

/** The names of the views that a page has, as they are in addresses. */
export async function viewsOf(page) {
  return page.locator('nav a').evaluateAll((links) => links.map((link) => link.hash.slice(1)));
}

/** Opens a view by its link, and waits for what is drawn after a frame. */
export async function open(page, view) {
  await page.click(`nav a[href="#${view}"]`);
  await page.locator(`#view-${view}:not([hidden])`).waitFor();
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}
