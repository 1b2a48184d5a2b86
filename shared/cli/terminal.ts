import type { Readable } from 'node:stream'

/** What a command needs of the process that it runs in. */
export type Terminal = {
  /** To standard output, as it is. */
  write(this: void, text: string): void
  /** To standard error. */
  complain(this: void, text: string): void
  environment: Readonly<Record<string, string | undefined>>
  /** That file names are relative to. */
  folder: string
  /** Whether somebody looks: nothing that moves a cursor is written then. */
  isTerminal: boolean
  /** Whether he wants colours. */
  hasColours: boolean
  /** Whether somebody looks at standard error. */
  isWatched: boolean
  /** Whether somebody can be asked: standard input is a terminal. */
  isInteractive: boolean
  /** Standard input as it comes, for a command that is spoken with. */
  input(this: void): Readable
  /** All of it, as text. */
  standardInput(this: void): Promise<string>
  /** Writes a question to standard error. @returns the line that was typed; empty where it ended */
  ask(this: void, question: string): Promise<string>
  /** Aborted by Ctrl-C. */
  signal: AbortSignal
  now(this: void): Date
  random(this: void, length: number): Uint8Array<ArrayBuffer>
}

/** The command was not called rightly; nothing was done. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'UsageError'
  }
}

/** There is no credential for what was asked. */
export class NoCredential extends Error {
  readonly fix: string
  constructor(message: string, fix: string) {
    super(message)
    this.name = 'NoCredential'
    this.fix = fix
  }
}

/** As the shell is told (`docs/cli.md`). */
export const EXIT = {
  ok: 0,
  /** What was asked for was done, and it failed: an action threw, a rule of the evidence did. */
  failed: 1,
  /** The command was not called rightly, or the service refused its fields (400, 409, 413, 422); nothing was done. */
  usage: 2,
  simulated: 3,
  /** No credential, or one that may not (401, 403). */
  unauthorized: 4,
  /** It is not there (404). */
  notFound: 5,
  /** No credit (402). */
  payment: 6,
  /** No answer, or a service that is away or busy (429, 5xx): the same command may do later. */
  away: 7,
  /** Ended by Ctrl-C. */
  interrupted: 130,
} as const

/**
 * Text of somebody else on one line: what would move the cursor, colour, or turn the direction of writing shows as `?`,
 * so that no server writes a verdict of its own over ours.
 */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '?')
}

/**
 * A value as JSON that moves no cursor either: what JSON lets stand (C1 controls, directions of writing) is escaped, and is
 * the same text to who reads the JSON.
 */
export function jsonText(value: unknown, indent?: number): string {
  const text = JSON.stringify(value, null, indent) ?? 'null'
  // Line ends are JSON's own here: those of strings are escaped already.
  return text.replace(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    Array.from({ length: character.length }, (_, at) => {
      return `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`
    }).join(''),
  )
}

const COLOURS = { green: 32, yellow: 33, red: 31, grey: 90 } as const
export type Colour = keyof typeof COLOURS

export function coloured(text: string, colour: Colour, { hasColours }: Terminal): string {
  return hasColours ? `\u001b[${COLOURS[colour]}m${text}\u001b[0m` : text
}
