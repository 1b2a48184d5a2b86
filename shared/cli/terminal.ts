import type { Readable } from 'node:stream'

export type Terminal = {
  write(this: void, text: string): void
  writeError(this: void, text: string): void
  environment: Readonly<Record<string, string | undefined>>
  /** Directory against which relative file names are resolved. */
  folder: string
  /** True if standard output is a terminal. Text from others must then be sanitized. */
  isTerminal: boolean
  /** True if standard output is a terminal and `NO_COLOR` is not set. */
  hasColors: boolean
  /** True if standard error is a terminal, so that progress is displayed. */
  showsProgress: boolean
  /** True if standard input is a terminal, which can prompt the user. */
  isInteractive: boolean
  input(this: void): Readable
  standardInput(this: void): Promise<string>
  /** Prompts on standard error. @returns the line that the user typed. Empty if the input ended */
  ask(this: void, question: string): Promise<string>
  signal: AbortSignal
  now(this: void): Date
  random(this: void, length: number): Uint8Array<ArrayBuffer>
}

/** The command line is invalid. The command has had no effect. */
export class UsageError extends Error {
  override name = 'UsageError'
}

export class NoCredentialError extends Error {
  readonly fix: string
  constructor(message: string, fix: string) {
    super(message)
    this.name = 'NoCredentialError'
    this.fix = fix
  }
}

/** Exit codes, documented in docs/cli.md. */
export const EXIT = {
  ok: 0,
  /** The command was executed, but the action, the run or a rule of the evidence failed. */
  failed: 1,
  /** Invalid command line, or fields that the service rejected (400, 409, 413, 422). The command has had no effect. */
  usage: 2,
  simulated: 3,
  /** A credential is missing, or lacks the required permission (401, 403). */
  unauthorized: 4,
  /** An object was not found (404). */
  notFound: 5,
  /** The account has no credits, or a spending cap is reached (402). */
  payment: 6,
  /** The service did not respond, or was unavailable or busy (429, 5xx). Retrying later may succeed. */
  unavailable: 7,
  interrupted: 130,
} as const

/**
 * Sanitizes text from others for output on one line. Replaces characters that could move the cursor or change colors or
 * the text direction with `?`, so that a server cannot overwrite our verdict with its own.
 */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '?')
}

/**
 * Serializes a value as JSON that is safe to print. Escapes the control characters that JSON allows unescaped (C1
 * controls, direction marks). The JSON still parses to the same value.
 */
export function jsonText(value: unknown, indent?: number): string {
  const text = JSON.stringify(value, null, indent) ?? 'null'
  // Newlines in the JSON text are only formatting. Newlines inside strings are already escaped.
  return text.replace(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    Array.from({ length: character.length }, (_, at) => {
      return `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`
    }).join(''),
  )
}

const COLOR_CODES = { green: 32, yellow: 33, red: 31, grey: 90 } as const
export type TerminalColor = keyof typeof COLOR_CODES

export function colorize(text: string, color: TerminalColor, { hasColors }: Terminal): string {
  return hasColors ? `\u001b[${COLOR_CODES[color]}m${text}\u001b[0m` : text
}
