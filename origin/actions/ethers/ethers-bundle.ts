import { readFileSync } from 'node:fs'

/**
 * ethers v5 as a sandbox evaluates it: an expression, a function of the object that has the host's `primitives`. When
 * it is called it defines `globalThis.ethers` and returns it. Made by `build.ts`.
 */
export function ethersBundle(): string {
  return readFileSync(new URL('bundle.js', import.meta.url), 'utf8')
}
