import { createHash } from 'node:crypto'

/** Log of a simulation. It is identical each time the same seed is played. */
export class Trace {
  readonly lines: string[] = []
  readonly #now: () => number

  constructor(now: () => number) {
    this.#now = now
  }

  add(who: string, what: string): void {
    this.lines.push(`${(this.#now() / 1000).toFixed(4).padStart(9)} ${who.padEnd(6)} ${what}`)
  }

  get hash(): string {
    return createHash('sha256').update(this.lines.join('\n')).digest('hex')
  }
}

/** A broken invariant. It ends the simulation. */
export class Violation extends Error {
  constructor(what: string) {
    super(what)
    this.name = 'Violation'
  }
}
