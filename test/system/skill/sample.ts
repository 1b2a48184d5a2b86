/** Compares the output of a block with the sample in the guide. */
import { execFileSync } from 'node:child_process'

/** Placeholder in a sample for text that varies between runs. */
const ANY = '…'

/** @returns a description of the difference, or `undefined` if there is none */
export function differs(
  { language, text }: { language: 'json' | 'text'; text: string },
  printed: string,
): string | undefined {
  if (language === 'text') return fits(text.trim(), printed.trim()) ? undefined : 'text'
  const [expected, actual] = [valuesOf(text), valuesOf(printed)]
  return mismatch(expected, actual, 'output')
}

/** Parses consecutive JSON values, as jq does. */
function valuesOf(text: string): unknown[] {
  return JSON.parse(execFileSync('jq', ['-s', '.'], { input: text }).toString()) as unknown[]
}

function mismatch(expected: unknown, actual: unknown, at: string): string | undefined {
  if (typeof expected === 'string')
    return typeof actual === 'string' && fits(expected, actual)
      ? undefined
      : `${at}: ${JSON.stringify(actual)}`
  if (typeof expected !== 'object' || expected === null)
    return expected === actual ? undefined : `${at}: ${JSON.stringify(actual)}`
  if (
    typeof actual !== 'object' ||
    actual === null ||
    Array.isArray(expected) !== Array.isArray(actual)
  )
    return `${at}: ${JSON.stringify(actual)}`
  const names = new Set([...Object.keys(expected), ...Object.keys(actual)])
  for (const name of names) {
    const found = mismatch(Reflect.get(expected, name), Reflect.get(actual, name), `${at}.${name}`)
    if (found !== undefined) return found
  }
  return undefined
}

function fits(pattern: string, text: string): boolean {
  const parts = pattern.split(ANY).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}$`, 's').test(text)
}
