/** Polyfills of Node’s modules and globals. Each is one module without imports. */
import { readFile } from 'node:fs/promises'

const MODULES: readonly string[] = []

export const isPolyfilled = (name: string): boolean => MODULES.includes(name)

/** @param name module such as `buffer`, or `global-Buffer` for a global */
export async function polyfillSource(name: string): Promise<string> {
  return readFile(new URL(`polyfills/${name}.js`, import.meta.url), 'utf8')
}
