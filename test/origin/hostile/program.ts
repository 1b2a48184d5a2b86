import type { FailureCode } from '../../../origin/actions/run.ts'

/** The required outcome of a hostile program: this value, or this code with a matching message. */
export type Expected =
  | { returns: unknown }
  | { fails: FailureCode; says?: RegExp }
  /** Any value, if the machine is fast enough to return it in time. */
  | { returnsInTime: true }

/** A hostile program as a table row. The suite and the nightly campaign run all of them. */
export type HostileProgram = {
  name: string
  /** A function creates a large source on demand. */
  code: string | (() => string)
  /** JSON text. @default '{}' */
  params?: string
  wallMs: number
  /** Several if either of two limits may stop the engine first. */
  expected: readonly Expected[]
  /** A built-in that never checks the clock. The pool may kill its executor. */
  native?: true
  /** The program itself returns, throws or logs the key that it received. */
  tells?: true
}

type Options = Partial<Pick<HostileProgram, 'params' | 'wallMs' | 'native' | 'tells'>>

/** Wall clock limit of a program that the clock must stop. */
const DEADLINE_MS = 100

/** Wall clock limit of a program that must end by itself: so long that only a hang reaches it. */
const ROOM_MS = 120_000

/** Creates a row from a complete source. */
export function program(
  name: string,
  code: HostileProgram['code'],
  expected: Expected | readonly Expected[],
  options: Options = {},
): HostileProgram {
  const all = [expected].flat()
  const timed = all.some((end) => 'fails' in end && end.fails === 'action_timeout')
  return { name, code, expected: all, wallMs: timed ? DEADLINE_MS : ROOM_MS, ...options }
}

/** `body` is the body of an async `main(params)`. */
const main = (body: string) => `async function main(params) { ${body} }`

/** Runs until the clock stops it. */
export const timesOut = (name: string, body: string, options?: Options) =>
  program(name, main(body), { fails: 'action_timeout' }, options)

/** Allocates until the memory limit stops it. */
export const runsOut = (name: string, body: string, options?: Options) =>
  program(name, main(body), { fails: 'out_of_memory' }, options)

/**
 * Allocates a little in each step of an endless loop. Depending on the machine, the clock or the memory limit stops it.
 */
export const exhausts = (name: string, body: string, options?: Options) =>
  program(name, main(body), [{ fails: 'action_timeout' }, { fails: 'out_of_memory' }], options)

/** Fails with its own error. */
export const throws = (name: string, body: string, says: RegExp, options?: Options) =>
  program(name, main(body), { fails: 'action_threw', says }, options)

export const fails = (
  name: string,
  body: string,
  code: FailureCode,
  says: RegExp,
  options?: Options,
) => program(name, main(body), { fails: code, says }, options)

/** Has no effect, and returns. */
export const returns = (name: string, body: string, value: unknown, options?: Options) =>
  program(name, main(body), { returns: value }, options)

/** A built-in that computes forever, or almost. The clock or the memory limit stops it, whichever is first. */
export function native(
  name: string,
  body: string,
  { finite = false, ...options }: Options & { finite?: boolean } = {},
): HostileProgram {
  const expected: Expected[] = [
    { fails: 'action_timeout' },
    { fails: 'out_of_memory' },
    { fails: 'action_threw' },
  ]
  if (finite) expected.push({ returnsInTime: true })
  return program(name, main(body), expected, { native: true, wallMs: DEADLINE_MS, ...options })
}
