import type { Matcher as VitestMatcher, MatcherState } from 'vitest'
import { isPlainObject } from './plain-object.ts'
import { routeMatcher } from './routes.ts'
import type { ActionRun, SentActionRequest, SignatureMatch, TransactionMatch } from './types.ts'

type Matcher<Expected extends unknown[]> = VitestMatcher<MatcherState, Expected>

function runOf(received: unknown): ActionRun {
  if (isPlainObject(received) && 'response' in received && 'requests' in received)
    return received as ActionRun
  throw new TypeError('expected the result of runAction')
}

/** Describes how a run ended, for failure messages. */
function ended({ response, error, logs }: ActionRun, print: (value: unknown) => string): string {
  const lines = logs.map(({ level, text }) => `  ${level}: ${text}`)
  const how = error
    ? `The run failed with ${error.code}: ${error.stack || error.message}`
    : `The run returned ${print(response)}`
  return lines.length === 0 ? how : `${how}\n\nLogs:\n${lines.join('\n')}`
}

const toRespondWith: Matcher<[expected: unknown]> = function (received, expected) {
  const run = runOf(received)
  const { printExpected, printReceived, diff } = this.utils
  return {
    pass: run.error === undefined && this.equals(run.response, expected, this.customTesters),
    message: () => {
      const wanted = `expected the run ${this.isNot ? 'not ' : ''}to respond with ${printExpected(expected)}`
      const difference = run.error || this.isNot ? '' : `\n\n${diff(expected, run.response) ?? ''}`
      return `${wanted}\n\n${ended(run, printReceived)}${difference}`
    },
  }
}

const toFailWith: Matcher<[code: string, message?: string | RegExp]> = function (
  received,
  code,
  message,
) {
  const run = runOf(received)
  const { printExpected, printReceived } = this.utils
  const { error } = run
  const isMessage =
    message === undefined ||
    (error !== undefined &&
      (typeof message === 'string' ? error.message.includes(message) : message.test(error.message)))
  return {
    pass: error?.code === code && isMessage,
    message: () => {
      const text = message === undefined ? '' : ` and the message ${printExpected(message)}`
      return `expected the run ${this.isNot ? 'not ' : ''}to fail with ${printExpected(code)}${text}\n\n${ended(run, printReceived)}`
    },
  }
}

const toHaveRequested: Matcher<[route: string, body?: unknown]> = function (received, route, body) {
  const run = runOf(received)
  const { printExpected, printReceived } = this.utils
  const isRoute = routeMatcher(route, 'toHaveRequested')
  const hasBody = (request: SentActionRequest) =>
    body === undefined ||
    contains(this, typeof body === 'string' ? request.body : jsonOf(request.body), body)
  return {
    pass: run.requests.some((request) => isRoute(request) && hasBody(request)),
    message: () => {
      const text = body === undefined ? '' : ` with the body ${printExpected(body)}`
      const sent = run.requests.map(
        ({ method, url, body: sentBody }) =>
          `  ${method} ${url}${sentBody === '' ? '' : ` ${printReceived(sentBody)}`}`,
      )
      return `expected the run ${this.isNot ? 'not ' : ''}to have requested ${route}${text}\n\nRequests:\n${listed(sent)}\n\n${ended(run, printReceived)}`
    },
  }
}

const toHaveSigned: Matcher<[expected?: SignatureMatch]> = function (received, expected = {}) {
  const run = runOf(received)
  const { printExpected, printReceived } = this.utils
  return {
    pass: run.signatures.some((signature) => contains(this, signature, expected)),
    message: () =>
      `expected the run ${this.isNot ? 'not ' : ''}to have signed ${printExpected(expected)}\n\nSignatures:\n${listed(run.signatures.map((signature) => `  ${printReceived(signature)}`))}\n\n${ended(run, printReceived)}`,
  }
}

const toHaveSent: Matcher<[expected?: TransactionMatch]> = function (received, expected = {}) {
  const run = runOf(received)
  const { printExpected, printReceived } = this.utils
  const wanted = normalized(expected)
  return {
    pass: run.transactions.some((transaction) => contains(this, normalized(transaction), wanted)),
    message: () =>
      `expected the run ${this.isNot ? 'not ' : ''}to have sent ${printExpected(wanted)}\n\nTransactions:\n${listed(run.transactions.map((transaction) => `  ${printReceived(transaction)}`))}\n\n${ended(run, printReceived)}`,
  }
}

const listed = (lines: readonly string[]) => (lines.length === 0 ? '  none' : lines.join('\n'))

/** Addresses and data in lower case, and amounts as text. */
function normalized(transaction: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(transaction).map(([name, value]) => {
      if (typeof value === 'bigint' || (name === 'value' && typeof value === 'number'))
        return [name, String(value)]
      const isHex = typeof value === 'string' && value.startsWith('0x')
      return [name, isHex ? value.toLowerCase() : value]
    }),
  )
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}

/** Compares like `toMatchObject`. */
function contains({ equals }: MatcherState, received: unknown, expected: unknown): boolean {
  if (!isPlainObject(expected) || 'asymmetricMatch' in expected || !isPlainObject(received))
    return equals(received, expected)
  return Object.entries(expected).every(([name, value]) =>
    contains({ equals } as MatcherState, received[name], value),
  )
}

/** Registered with vitest when the package is imported in a test. */
export const MATCHERS = { toRespondWith, toFailWith, toHaveRequested, toHaveSigned, toHaveSent }

// The package build copies this declaration.
declare module 'vitest' {
  interface Matchers<R extends void | Promise<void> = void | Promise<void>, T = unknown> {
    /** The action returned a value that equals the expected one. */
    toRespondWith(expected: unknown): R
    /** The run failed with a code (docs/actions.md#errors), and with a message that contains or matches the expected one. */
    toFailWith(code: string, message?: string | RegExp): R
    /** The action sent a request. @param body subset of the body's JSON, or the body as text */
    toHaveRequested(route: string, body?: unknown): R
    /** A wallet signed something that has the given members. */
    toHaveSigned(expected?: SignatureMatch): R
    /** The action asked the service to send a transaction that has the given members. */
    toHaveSent(expected?: TransactionMatch): R
  }
}
