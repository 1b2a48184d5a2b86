import { readFileSync } from 'node:fs'

/** Output of `build.ts`: a function expression, described at `buildBundle`. */
export function ethersBundle(): string {
  return readFileSync(new URL('bundle.js', import.meta.url), 'utf8')
}
