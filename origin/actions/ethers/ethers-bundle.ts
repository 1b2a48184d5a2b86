import { readFileSync } from 'node:fs'

/**
 * Returns the ethers v5 bundle that sandboxes evaluate, which is built by `build.ts`. It is a function expression. The
 * function takes the host object, defines `globalThis.ethers` and returns it.
 */
export function ethersBundle(): string {
  return readFileSync(new URL('bundle.js', import.meta.url), 'utf8')
}
