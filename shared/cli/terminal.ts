/** What a command needs of the process that it runs in. */
export type Terminal = {
  /** To standard output, as it is. */
  write(this: void, text: string): void
  /** To standard error. */
  complain(this: void, text: string): void
  environment: Readonly<Record<string, string | undefined>>
  /** That file names are relative to. */
  folder: string
  /** Whether somebody looks: what is piped has no colours. */
  isTerminal: boolean
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

/** As the shell is told. */
export const EXIT = { ok: 0, failed: 1, usage: 2, simulated: 3 } as const

/**
 * Text of somebody else on one line: what would move the cursor, colour, or turn the direction of writing shows as `?`,
 * so that no server writes a verdict of its own over ours.
 */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '?')
}

const COLOURS = { green: 32, yellow: 33, red: 31, grey: 90 } as const
export type Colour = keyof typeof COLOURS

export function coloured(text: string, colour: Colour, { isTerminal }: Terminal): string {
  return isTerminal ? `\u001b[${COLOURS[colour]}m${text}\u001b[0m` : text
}
