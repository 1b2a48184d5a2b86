import type { Readable } from 'node:stream'

/** The process environment of a command. */
export type Terminal = {
  /** Writes to standard output. */
  write(this: void, text: string): void
  /** Writes to standard error. */
  complain(this: void, text: string): void
  environment: Readonly<Record<string, string | undefined>>
  /** Base of relative file names. */
  folder: string
  /** True if standard output is a terminal. Text from others must then be sanitized before it is written. */
  isTerminal: boolean
  /** True if standard output is a terminal and `NO_COLOR` is not set. */
  hasColours: boolean
  /** True if standard error is a terminal. */
  isWatched: boolean
  /** True if standard input is a terminal, so that the user can be prompted. */
  isInteractive: boolean
  /** Standard input as a stream, for interactive protocols. */
  input(this: void): Readable
  /** Reads all of standard input as text. */
  standardInput(this: void): Promise<string>
  /** Writes a prompt to standard error. @returns the line typed; empty if the input ended */
  ask(this: void, question: string): Promise<string>
  /** Aborted by Ctrl-C. */
  signal: AbortSignal
  now(this: void): Date
  random(this: void, length: number): Uint8Array<ArrayBuffer>
}

/** The command line was invalid. Nothing was done. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'UsageError'
  }
}

/** No credential is available for the request. */
export class NoCredential extends Error {
  readonly fix: string
  constructor(message: string, fix: string) {
    super(message)
    this.name = 'NoCredential'
    this.fix = fix
  }
}

/** Exit codes (docs/cli.md). */
export const EXIT = {
  ok: 0,
  /** The command was carried out, but the action or a rule of the evidence failed. */
  failed: 1,
  /** Invalid command line, or fields rejected by the service (400, 409, 413, 422). Nothing was done. */
  usage: 2,
  simulated: 3,
  /** Missing credential, or one without permission (401, 403). */
  unauthorized: 4,
  /** Not found (404). */
  notFound: 5,
  /** No credits (402). */
  payment: 6,
  /** No response, or a service that is unavailable or busy (429, 5xx). Retrying later may succeed. */
  away: 7,
  /** Interrupted by Ctrl-C. */
  interrupted: 130,
} as const

/**
 * Sanitizes text from others for one line: characters that could move the cursor, change colors or the text direction
 * are replaced by `?`, so that a server cannot overwrite our verdict with its own.
 */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '?')
}

/**
 * Serializes JSON that is safe to print: escapes the control characters that JSON allows unescaped (C1 controls,
 * direction marks). A JSON parser reads the same value.
 */
export function jsonText(value: unknown, indent?: number): string {
  const text = JSON.stringify(value, null, indent) ?? 'null'
  // Newlines here are only formatting: those inside strings are escaped already.
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
