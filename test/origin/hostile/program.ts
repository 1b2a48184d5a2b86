import type { FailureCode } from '../../../origin/actions/run.ts'

/** How a hostile program must end: with this value, or with this code and a message that says so. */
export type Expected =
  | { returns: unknown }
  | { fails: FailureCode; says?: RegExp }
  /** Whatever it computes, where the machine is fast enough for it. */
  | { returnsInTime: true }

/** One program that means harm, as a table row: the suite and the nightly campaign run all of them. */
export type HostileProgram = {
  name: string
  /** Large sources are made when they are needed. */
  code: string | (() => string)
  /** JSON text, `{}` unless it says otherwise. */
  params?: string
  wallMs: number
  /** More than one where the engine may be stopped by either of two limits that are both right. */
  expected: readonly Expected[]
  /** A built-in that never looks at the clock: its executor may be ended for it. */
  native?: true
  /** The program itself puts the key that it got into what it returns, throws or logs. */
  tells?: true
}

type Options = Partial<Pick<HostileProgram, 'params' | 'wallMs' | 'native' | 'tells'>>

/** What a program is given that must be stopped by the clock. */
const DEADLINE_MS = 200

/** What one is given that must end by itself: so long that only a hang meets it. */
const ROOM_MS = 120_000

/** A whole source. */
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

/** `body` is that of an async `main(params)`. */
const main = (body: string) => `async function main(params) { ${body} }`

/** Goes on until the clock stops it. */
export const timesOut = (name: string, body: string, options?: Options) =>
  program(name, main(body), { fails: 'action_timeout' }, options)

/** Takes memory until there is none. */
export const runsOut = (name: string, body: string, options?: Options) =>
  program(name, main(body), { fails: 'out_of_memory' }, options)

/** Takes a little memory with every step, for ever: the clock or the memory stops it, as fast as the machine is. */
export const exhausts = (name: string, body: string, options?: Options) =>
  program(name, main(body), [{ fails: 'action_timeout' }, { fails: 'out_of_memory' }], options)

/** Fails with an error of its own. */
export const throws = (name: string, body: string, says: RegExp, options?: Options) =>
  program(name, main(body), { fails: 'action_threw', says }, options)

export const fails = (
  name: string,
  body: string,
  code: FailureCode,
  says: RegExp,
  options?: Options,
) => program(name, main(body), { fails: code, says }, options)

/** Achieves nothing, and returns. */
export const returns = (name: string, body: string, value: unknown, options?: Options) =>
  program(name, main(body), { returns: value }, options)

/** A built-in that computes for ever, or nearly: the clock or the memory stops it, whichever comes first. */
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
