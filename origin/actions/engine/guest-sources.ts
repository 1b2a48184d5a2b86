import { readFileSync } from 'node:fs'
import { ethersBundle } from '../ethers/ethers-bundle.ts'

/** The texts that every sandbox starts from; evaluated once, for the template. */
export type GuestSources = {
  ethers: string
  prelude: Record<PreludePart, string>
}

/** In the order in which they are loaded; each is handed what the earlier ones returned. */
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
  'svc',
  'result',
  'drive',
] as const

export type PreludePart = (typeof PRELUDE_PARTS)[number]

export function readGuestSources(): GuestSources {
  const prelude = {} as Record<PreludePart, string>
  for (const part of PRELUDE_PARTS) prelude[part] = functionExpression(part)
  return { ethers: ethersBundle(), prelude }
}

/**
 * A prelude file exports one function. It is evaluated as an expression and not as a module: modules
 * have names, by which an action could import them.
 */
function functionExpression(part: PreludePart): string {
  const text = readFileSync(new URL(`../guest/${part}.js`, import.meta.url), 'utf8')
  return `'use strict';(${text.replace('export default ', '')})`
}
