export class AssertionError extends Error {
  name = 'AssertionError'
  code = 'ERR_ASSERTION'
  constructor({ message, actual, expected, operator }) {
    super(message)
    Object.assign(this, { actual, expected, operator })
  }
}

function check(holds, message, details) {
  if (holds) return
  if (message instanceof Error) throw message
  throw new AssertionError({
    message: message ?? `the assertion failed: ${details.operator}`,
    ...details,
  })
}

export function ok(value, message) {
  check(value, message, { actual: value, expected: true, operator: '==' })
}

export const strictEqual = (actual, expected, message) =>
  check(Object.is(actual, expected), message, { actual, expected, operator: 'strictEqual' })

export const notStrictEqual = (actual, expected, message) =>
  check(!Object.is(actual, expected), message, { actual, expected, operator: 'notStrictEqual' })

/* eslint-disable-next-line eqeqeq */
export const equal = (actual, expected, message) =>
  check(actual == expected, message, { actual, expected, operator: '==' })

export const notEqual = (actual, expected, message) =>
  check(actual != expected, message, { actual, expected, operator: '!=' })

export function fail(message = 'Failed') {
  check(false, message, { operator: 'fail' })
}

export function throws(callable, message) {
  try {
    callable()
  } catch {
    return
  }
  check(false, typeof message === 'string' ? message : 'Missing expected exception.', {
    operator: 'throws',
  })
}

const assert = Object.assign((value, message) => ok(value, message), {
  AssertionError,
  ok,
  equal,
  notEqual,
  strictEqual,
  notStrictEqual,
  fail,
  throws,
})
assert.strict = assert

export { assert as strict }
export default assert
