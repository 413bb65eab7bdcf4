// Profiles in the formats of other tools, and what they have to say.

import { execFileSync, spawnSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the profiles, as `ci/exports` has made them. */
export const FOLDER = process.env.WORKSPAN_EXPORTS;

const WORKSPAN = process.env.WORKSPAN_COMMAND;

/** One of each kind: the documentation's, with samples of a real run, with names that try to be more. */
export const PROFILES = ['quicksort', 'real', 'hostile'];

/** Exports the profile `name`; returns the file. */
export function exported(name, format, extension, ...options) {
  const by = options.length > 1 ? `.${options[1]}` : '';
  const file = path.join(FOLDER, `${name}${by}${extension}`);
  execFileSync(WORKSPAN, ['export', `${name}.wsp`, '--format', format, '--output', file, ...options], { cwd: FOLDER });
  return file;
}

/** Work and span of the profile `name` in nanoseconds, as the report has them. */
export function totals(name) {
  const printed = execFileSync(WORKSPAN, ['report', `${name}.wsp`, '--json', '-'], { cwd: FOLDER, maxBuffer: 1 << 28 });
  const { work_ns: work, span_ns: span } = JSON.parse(printed).totals;
  return { work, span };
}

/** What a command prints on standard output; whatever it says on the other one is a failure. */
export function printed(command, ...options) {
  const ran = spawnSync(command, options, { cwd: FOLDER, encoding: 'utf8', maxBuffer: 1 << 28 });
  if (ran.status !== 0 || ran.stderr) throw new Error(`${command} ${options.join(' ')}: ${ran.status} ${ran.error ?? ''} ${ran.stderr}`);
  return ran.stdout;
}

/** Reports a skip, and gives the reason for which the tests that need `name` are left out. */
export function skip(name) {
  const why = 'not installed (ci/setup installs it)';
  const ran = spawnSync(fileURLToPath(new URL('../../ci/skip', import.meta.url)), [name, why], { stdio: 'inherit' });
  if (ran.status !== 0) throw new Error(`ci/skip ${name}: ${ran.status} ${ran.error ?? ''}`);
  return why;
}

/** Why a test that needs `command` is skipped; false if it is there. */
export function lacks(command) {
  const isThere = spawnSync('sh', ['-c', `command -v ${command}`]).status === 0;
  return isThere ? false : skip(command);
}
