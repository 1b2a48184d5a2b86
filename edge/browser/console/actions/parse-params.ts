import { jsonErrorOffset } from './json-error-offset.ts'

type ParsedParams =
  | { params: Record<string, unknown> }
  | { fault: string; place?: { line: number; column: number; offset: number } }

/** An empty text is parsed as `{}`. For invalid JSON, returns the position of the error. */
export function parseParams(text: string): ParsedParams {
  if (text.trim() === '') return { params: {} }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return faultAt(text, jsonErrorOffset(text))
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return { params: value as Record<string, unknown> }
  return { fault: 'Params must be a JSON object, such as {"message": "hello"}.' }
}

function faultAt(text: string, offset: number): ParsedParams {
  const before = text.slice(0, offset).split('\n')
  const line = before.length
  const column = before.at(-1)!.length + 1
  return {
    fault: `Invalid JSON at line ${line}, column ${column}.`,
    place: { line, column, offset },
  }
}
