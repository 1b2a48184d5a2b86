import type { Readable } from 'node:stream'

/** Input, output and environment of the process that runs a command. */
export type Terminal = {
  /** Writes a text to standard output. */
  write(this: void, text: string): void
  /** Writes a text to standard error. */
  complain(this: void, text: string): void
  environment: Readonly<Record<string, string | undefined>>
  /** Directory against which relative file names are resolved. */
  folder: string
  /** True if standard output is a terminal. Text from others must then be sanitized before it is written. */
  isTerminal: boolean
  /** True if standard output is a terminal and `NO_COLOR` is not set. */
  hasColours: boolean
  /** True if standard error is a terminal, so that progress is displayed. */
  isWatched: boolean
  /** True if standard input is a terminal, so that the user can be prompted. */
  isInteractive: boolean
  /** Returns standard input as a stream, for interactive protocols. */
  input(this: void): Readable
  /** Reads all of standard input as text. */
  standardInput(this: void): Promise<string>
  /** Writes a prompt to standard error. @returns the line that the user typed; empty if the input ended */
  ask(this: void, question: string): Promise<string>
  /** Abort signal that fires on Ctrl-C. */
  signal: AbortSignal
  now(this: void): Date
  random(this: void, length: number): Uint8Array<ArrayBuffer>
}

/** Error for an invalid command line. The command has had no effect. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'UsageError'
  }
}

/** Error for a request for which no credential is available. */
export class NoCredential extends Error {
  readonly fix: string
  constructor(message: string, fix: string) {
    super(message)
    this.name = 'NoCredential'
    this.fix = fix
  }
}

/** Exit codes of the `svc` command (docs/cli.md). */
export const EXIT = {
  ok: 0,
  /** Exit code if the command was carried out, but the action, the run or a rule of the evidence failed. */
  failed: 1,
  /**
   * Exit code for an invalid command line, or for fields that the service rejected (400, 409, 413, 422). Nothing was
   * done.
   */
  usage: 2,
  simulated: 3,
  /** Exit code for a missing credential, or one without the required permission (401, 403). */
  unauthorized: 4,
  /** Exit code if the requested object was not found (404). */
  notFound: 5,
  /** Exit code if the account has no credits or a spending cap is reached (402). */
  payment: 6,
  /** Exit code if the service did not respond, or was unavailable or busy (429, 5xx). Retrying later may succeed. */
  away: 7,
  /** Exit code after an interruption by Ctrl-C. */
  interrupted: 130,
} as const

/**
 * Sanitizes text from others for output on one line. Characters that could move the cursor or change colors or the text
 * direction are replaced with `?`, so that a server cannot overwrite our verdict with its own.
 */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '?')
}

/**
 * Serializes a value as JSON that is safe to print. Escapes the control characters that JSON allows unescaped (C1
 * controls, direction marks). A JSON parser reads the same value.
 */
export function jsonText(value: unknown, indent?: number): string {
  const text = JSON.stringify(value, null, indent) ?? 'null'
  // Newlines are not escaped, because they are only formatting here. Newlines inside strings are already escaped.
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
