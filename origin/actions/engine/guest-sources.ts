import { readFileSync } from 'node:fs'

export type GuestSources = {
  ethers: string
  prelude: Record<PreludePart, string>
}

/** Parts of the prelude in load order. Each part receives the exports of the earlier parts. */
export const PRELUDE_PARTS = [
  'primordials',
  'errors',
  'webidl',
  'exceptions',
  'text',
  'base64',
  'algorithms',
  'cryptokey',
  'jwk',
  'importkey',
  'subtle',
  'crypto',
  'console',
  'clock',
  'timers',
  'events',
  'abort',
  'iterators',
  'query',
  'url',
  'brands',
  'clone',
  'headers',
  'body',
  'request',
  'response',
  'operations',
  'fetch',
  'signing',
  'svc',
  'result',
  'drive',
] as const

/** Parts that are loaded after ethers, which they use. */
export const ETHERS_PARTS = ['wallet'] as const

type PreludePart = (typeof PRELUDE_PARTS)[number] | (typeof ETHERS_PARTS)[number]

export function readGuestSources(): GuestSources {
  const prelude = {} as Record<PreludePart, string>
  for (const part of [...PRELUDE_PARTS, ...ETHERS_PARTS]) prelude[part] = functionExpression(part)
  return { ethers: ethersBundle(), prelude }
}

/** Reads the output of `ethers/build.ts`: a function expression, described at `buildBundle`. */
export function ethersBundle(): string {
  return readFileSync(new URL('../ethers/bundle.js', import.meta.url), 'utf8')
}

/**
 * Converts a prelude file, which exports one function, to a function expression. The file is not loaded as a module,
 * because an action could then import it by name.
 */
function functionExpression(part: PreludePart): string {
  const text = readFileSync(new URL(`../guest/${part}.js`, import.meta.url), 'utf8')
  return `'use strict';(${text.replace('export default ', '')})`
}
