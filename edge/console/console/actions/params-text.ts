/** What a person typed as `js_params`. */

export type ParamsText =
  | { params: Record<string, unknown> }
  | { fault: string; place?: { line: number; column: number; offset: number } }

/** A JSON object; nothing is `{}`. Of what is no JSON it says where, as far as the browser does. */
export function readParams(text: string): ParamsText {
  if (text.trim() === '') return { params: {} }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return faultOf(text, error instanceof Error ? error.message : '')
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return { params: value as Record<string, unknown> }
  return { fault: 'Params are a JSON object, as {"message": "hello"}.' }
}

/** Each engine says it in its own words. */
function faultOf(text: string, message: string): ParamsText {
  const offset = offsetOf(text, message)
  if (offset === undefined) return { fault: 'This is no JSON.' }
  const before = text.slice(0, offset).split('\n')
  const line = before.length
  const column = before.at(-1)!.length + 1
  return {
    fault: `This is no JSON: look at line ${line}, column ${column}.`,
    place: { line, column, offset },
  }
}

function offsetOf(text: string, message: string): number | undefined {
  const position = /at position (\d+)/.exec(message)?.[1]
  if (position !== undefined) return Math.min(Number(position), text.length)
  const place = /line (\d+),? column (\d+)/.exec(message)
  if (place) return offsetAt(text, Number(place[1]), Number(place[2]))
  return /end of (?:JSON|data|input)|EOF/i.test(message) ? text.length : undefined
}

function offsetAt(text: string, line: number, column: number): number {
  const before = text.split('\n').slice(0, line - 1)
  return Math.min(
    before.reduce((sum, { length }) => sum + length + 1, 0) + column - 1,
    text.length,
  )
}
