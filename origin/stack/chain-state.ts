import { existsSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { copyFile, open, rename, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ChildFailed } from './child.ts'

/** How often the file is looked at; one that was changed within this time may still be being written. */
const LOOK_MS = 1_000

/** The part of the time that copies may take: a large file is copied less often. */
const COPYING_MAX = 1 / 20

/**
 * The chain's state on disk. anvil writes `state.json` in place, so that a kill leaves a part of it at times;
 * `state.good.json` is the last copy of it that was seen whole, and empty until there is one.
 */
export class ChainState {
  readonly folder: string
  readonly file: string
  readonly #good: string
  readonly #draft: string
  #watching: AbortController | undefined
  #kept: string | undefined
  /** The last copy, in progress or done. Copies share one draft, so each waits for the one before. */
  #copy: Promise<boolean> = Promise.resolve(false)

  /** @param folder where the chain's files are: it exists before anything is asked of this */
  constructor(folder: string) {
    this.folder = folder
    this.file = join(folder, 'state.json')
    this.#good = join(folder, 'state.good.json')
    this.#draft = `${this.#good}.new`
  }

  /**
   * Makes the file whole, before the chain reads it.
   *
   * @param tell is told in a sentence when the good copy had to be taken, with the loss
   * @throws {ChildFailed} where the file is torn and no copy was ever made
   */
  async recover(tell: (line: string) => void): Promise<void> {
    // A chain that has just ended may have left a copy in progress.
    await this.#copy.catch(() => false)
    if (!existsSync(this.file)) return this.#beginWithout(tell)
    if (await isWholeJson(this.file)) {
      await this.keep()
      return
    }
    if (!existsSync(this.#good))
      throw new ChildFailed(
        'chain',
        `can not be started: ${this.file} is incomplete, and no copy of it was made. Put a copy of your own in its place; or delete the whole state folder and begin anew, without its wallets and accounts`,
      )
    const torn = statSync(this.file)
    const good = statSync(this.#good)
    const seconds = Math.max(0, Math.ceil((torn.mtimeMs - good.mtimeMs) / 1_000))
    await this.#restore()
    tell(`state.json was incomplete after a kill: its last good copy is used, ${loss(seconds)}`)
  }

  /** No file: a new folder, or one whose file was deleted. */
  async #beginWithout(tell: (line: string) => void): Promise<void> {
    if (!existsSync(this.#good)) {
      // From here on a torn file is known to be the first that this chain has written.
      writeFileSync(this.#good, '', { flush: true, mode: 0o600 })
    } else if (statSync(this.#good).size > 0) {
      await this.#restore()
      tell('state.json was missing: its last good copy is used')
    }
  }

  /** Looks after each write of the chain until `stop`. */
  watch(): void {
    this.stop()
    this.#watching = new AbortController()
    void this.#look(this.#watching.signal)
  }

  stop(): void {
    this.#watching?.abort()
  }

  async #look(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const began = performance.now()
      const kept = await this.#keepIfStill().catch(() => false)
      const rest = kept ? (performance.now() - began) / COPYING_MAX : 0
      await sleep(Math.max(LOOK_MS, rest), undefined, { ref: false, signal }).catch(() => {})
    }
  }

  /**
   * Copies the file beside, as it is at this moment.
   *
   * @returns false where there is nothing new, or a write came in between: what was there stays
   */
  keep(): Promise<boolean> {
    this.#copy = this.#copy.catch(() => false).then(() => this.#keepNow())
    return this.#copy
  }

  async #keepNow(): Promise<boolean> {
    const before = await fingerprint(this.file)
    if (before === this.#kept || before === (await fingerprint(this.#good))) return false
    await copyFile(this.file, this.#draft)
    // The same time on both: it says which state the copy is of.
    const { atime, mtime } = await stat(this.file)
    await utimes(this.#draft, atime, mtime)
    if (!(await isWholeJson(this.#draft)) || (await fingerprint(this.file)) !== before) return false
    await putInPlace(this.#draft, this.#good)
    this.#kept = before
    return true
  }

  async #keepIfStill(): Promise<boolean> {
    if (Date.now() - (await stat(this.file)).mtimeMs < LOOK_MS) return false
    return this.keep()
  }

  async #restore(): Promise<void> {
    const { size, atime, mtime } = statSync(this.#good)
    if (size === 0) return rmSync(this.file, { force: true })
    const draft = `${this.file}.new`
    await copyFile(this.#good, draft)
    utimesSync(draft, atime, mtime)
    await putInPlace(draft, this.file)
  }
}

function loss(seconds: number): string {
  return seconds > 0
    ? `and at most ${seconds} s of chain are lost`
    : 'and nothing before it is lost'
}

/** The file under its new name is whole, or the old one is still there. */
async function putInPlace(draft: string, file: string): Promise<void> {
  const handle = await open(draft, 'r+')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(draft, file)
}

async function fingerprint(file: string): Promise<string | undefined> {
  const found = await stat(file).catch(() => undefined)
  // Whole milliseconds: a copy's time can not be set more exactly.
  return found && `${found.size} ${Math.trunc(found.mtimeMs)}`
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPENING = new Set([0x5b, 0x7b])
const CLOSING = new Set([0x5d, 0x7d])
const BLANK = new Set([0x09, 0x0a, 0x0d, 0x20])
const CONTROL_MAX = 0x1f

/**
 * Whether a file is one JSON object or array to its end, and not the beginning of one, nor zeros that a power cut
 * left. Reads it piece by piece, since it may be longer than a string can be.
 */
export async function isWholeJson(file: string): Promise<boolean> {
  let depth = 0
  let values = 0
  let inString = false
  let escaped = false
  const handle = await open(file, 'r')
  try {
    for await (const chunk of handle.createReadStream({
      autoClose: false,
      highWaterMark: 1 << 20,
    })) {
      const bytes = chunk as Buffer
      for (let at = 0; at < bytes.length; at++) {
        const byte = bytes[at]!
        if (inString) {
          if (byte <= CONTROL_MAX) return false
          if (escaped) escaped = false
          else if (byte === BACKSLASH) escaped = true
          else if (byte === QUOTE) inString = false
        } else if (BLANK.has(byte)) continue
        else if (byte <= CONTROL_MAX) return false
        else if (depth === 0 && (values > 0 || !OPENING.has(byte))) return false
        else if (byte === QUOTE) inString = true
        else if (OPENING.has(byte)) depth += 1
        else if (CLOSING.has(byte) && --depth === 0) values = 1
      }
    }
  } finally {
    await handle.close()
  }
  return values === 1
}
