import { readFileSync } from 'node:fs'

/**
 * Returns ethers v5 in the form that a sandbox evaluates: a function expression. The function takes the object with the
 * host's `primitives`, defines `globalThis.ethers` and returns it. Built by `build.ts`.
 */
export function ethersBundle(): string {
  return readFileSync(new URL('bundle.js', import.meta.url), 'utf8')
}
