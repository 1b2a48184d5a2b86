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

/**
 * Locates JSON syntax errors (RFC 8259). JavaScript engines report their positions in different formats or not at all.
 */

const SPACE = /[ \t\r\n]*/y
const TOKEN =
  // oxlint-disable-next-line no-control-regex -- JSON strings must not contain control characters
  /[{}[\],:]|"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y

type Expected = 'value' | 'value or ]' | 'name' | 'name or }' | ':' | ', or end'

/**
 * @param text text that `JSON.parse` has rejected
 * @returns offset of the first invalid character, or the length of the text if the text is incomplete
 */
function jsonErrorOffset(text: string): number {
  const open: ('{' | '[')[] = []
  let expected: Expected = 'value'
  let at = 0
  for (;;) {
    at = matchAt(SPACE, text, at)!.end
    const token = matchAt(TOKEN, text, at)
    if (!token) return at
    const next = nextExpected(token.text, expected, open)
    if (!next) return at
    expected = next
    at = token.end
  }
}

/** Returns the kind of token that may follow a token, or undefined if the token itself is not allowed. */
function nextExpected(
  token: string,
  expected: Expected,
  open: ('{' | '[')[],
): Expected | undefined {
  const isInObject = open.at(-1) === '{'
  switch (expected) {
    case 'value or ]':
      if (token === ']') return closed(open)
      return afterValue(token, open)
    case 'value':
      return afterValue(token, open)
    case 'name or }':
      if (token === '}') return closed(open)
      return token.startsWith('"') ? ':' : undefined
    case 'name':
      return token.startsWith('"') ? ':' : undefined
    case ':':
      return token === ':' ? 'value' : undefined
    case ', or end':
      if (open.length === 0) return undefined
      if (token === ',') return isInObject ? 'name' : 'value'
      return token === (isInObject ? '}' : ']') ? closed(open) : undefined
  }
}

function afterValue(token: string, open: ('{' | '[')[]): Expected | undefined {
  if (token === '{' || token === '[') {
    open.push(token)
    return token === '{' ? 'name or }' : 'value or ]'
  }
  return /^[}\],:]/.test(token) ? undefined : ', or end'
}

function closed(open: ('{' | '[')[]): Expected {
  open.pop()
  return ', or end'
}

function matchAt(pattern: RegExp, text: string, at: number) {
  pattern.lastIndex = at
  const found = pattern.exec(text)
  return found ? { text: found[0], end: pattern.lastIndex } : undefined
}
