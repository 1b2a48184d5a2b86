import { tryParseJson } from '../../../../shared/json/try-parse-json.ts'

/** Returns the statement in a head that the owner kept: the statement, or the line of an exported file that contains it. */
export function readKeptHead(text: string): string | undefined {
  const line = text.trim()
  if (line === '') return undefined
  const parsed = tryParseJson(line)
  const head = typeof parsed === 'object' && parsed !== null && 'head' in parsed && parsed.head
  return typeof head === 'string' ? head : line
}
