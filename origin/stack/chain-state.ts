import { existsSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { copyFile, open, rename, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ChildFailedError } from './child.ts'

/** Poll interval of the state file. A file that was modified within this time may still be incomplete. */
const POLL_MS = 1_000

/** Maximum share of time spent on copying. Large files are therefore copied less often. */
const COPY_TIME_SHARE = 1 / 20

/**
 * Backs up the chain's state file and repairs it after a kill. anvil writes `state.json` in place, so a kill may leave
 * the file incomplete. `state.good.json` is the last complete copy, or empty if no copy has been made yet.
 */
export class ChainState {
  readonly folder: string
  readonly file: string
  readonly #good: string
  readonly #draft: string
  #watching: AbortController | undefined
  #polling: Promise<void> = Promise.resolve()
  #backedUp: string | undefined
  /** Latest copy operation. All operations use the same draft file, so each one waits for the previous one. */
  #copy: Promise<boolean> = Promise.resolve(false)

  /** @param folder folder of the chain, which must exist before any method is called */
  constructor(folder: string) {
    this.folder = folder
    this.file = join(folder, 'state.json')
    this.#good = join(folder, 'state.good.json')
    this.#draft = `${this.#good}.new`
  }

  /**
   * Replaces an incomplete state file with the copy. Must be called before the chain reads the file.
   * @param report called with a line that describes the repair and the lost time, if the copy had to be used
   * @throws {ChildFailedError} if the state file is incomplete and no copy exists
   */
  async recover(report: (line: string) => void): Promise<void> {
    // A copy may still be in progress after the chain exited.
    await this.#copy.catch(() => false)
    if (!existsSync(this.file)) return this.#startWithoutState(report)
    if (await isCompleteJson(this.file)) {
      await this.backUp()
      return
    }
    if (!existsSync(this.#good))
      throw new ChildFailedError(
        'chain',
        `cannot be started: ${this.file} is incomplete and has no backup copy. Restore it from your own backup, or delete the state folder to start over without its wallets and accounts`,
      )
    const torn = statSync(this.file)
    const good = statSync(this.#good)
    const seconds = Math.max(0, Math.ceil((torn.mtimeMs - good.mtimeMs) / 1_000))
    await this.#restore()
    report(
      `state.json was incomplete after a kill; restored its last good copy, ${describeLoss(seconds)}`,
    )
  }

  /** Handles a missing state file: either the folder is new, or the file was deleted. */
  async #startWithoutState(report: (line: string) => void): Promise<void> {
    if (!existsSync(this.#good)) {
      // The empty copy shows that this chain has not completed its first write yet. An incomplete state file can then
      // be discarded.
      writeFileSync(this.#good, '', { flush: true, mode: 0o600 })
    } else if (statSync(this.#good).size > 0) {
      await this.#restore()
      report('state.json was missing; restored its last good copy')
    }
  }

  watch(): void {
    this.#watching?.abort()
    this.#watching = new AbortController()
    this.#polling = this.#poll(this.#watching.signal)
  }

  /** Resolves when no copy is in progress. Another object may then use the folder. */
  async stop(): Promise<void> {
    this.#watching?.abort()
    await this.#polling
    await this.#copy.catch(() => false)
  }

  async #poll(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const began = performance.now()
      const isBackedUp = await this.#backUpIfQuiet().catch(() => false)
      const rest = isBackedUp ? (performance.now() - began) / COPY_TIME_SHARE : 0
      await sleep(Math.max(POLL_MS, rest), undefined, { ref: false, signal }).catch(() => {})
    }
  }

  /** @returns false if the state file has not changed or was being written; the previous copy then remains */
  backUp(): Promise<boolean> {
    this.#copy = this.#copy.catch(() => false).then(() => this.#backUpNow())
    return this.#copy
  }

  async #backUpNow(): Promise<boolean> {
    const before = await fingerprint(this.file)
    if (before === this.#backedUp || before === (await fingerprint(this.#good))) return false
    await copyFile(this.file, this.#draft)
    // The modification time identifies the state file from which the copy was made.
    const { atime, mtime } = await stat(this.file)
    await utimes(this.#draft, atime, mtime)
    if (!(await isCompleteJson(this.#draft)) || (await fingerprint(this.file)) !== before)
      return false
    await replaceAtomically(this.#draft, this.#good)
    this.#backedUp = before
    return true
  }

  async #backUpIfQuiet(): Promise<boolean> {
    if (Date.now() - (await stat(this.file)).mtimeMs < POLL_MS) return false
    return this.backUp()
  }

  async #restore(): Promise<void> {
    const { size, atime, mtime } = statSync(this.#good)
    if (size === 0) return rmSync(this.file, { force: true })
    const draft = `${this.file}.new`
    await copyFile(this.#good, draft)
    utimesSync(draft, atime, mtime)
    await replaceAtomically(draft, this.file)
  }
}

function describeLoss(seconds: number): string {
  return seconds > 0 ? `losing at most ${seconds} s of the chain` : 'losing nothing'
}

/** Replaces a file atomically: after a crash, the path contains either the complete new file or the old file. */
async function replaceAtomically(draft: string, file: string): Promise<void> {
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
  // The modification time of a copy cannot be set more precisely than whole milliseconds.
  return found && `${found.size} ${Math.trunc(found.mtimeMs)}`
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPENING = new Set([0x5b, 0x7b])
const CLOSING = new Set([0x5d, 0x7d])
const BLANK = new Set([0x09, 0x0a, 0x0d, 0x20])
const CONTROL_MAX = 0x1f

/**
 * True if a JSON file is complete. A power failure may truncate the file or fill it with zeros. Reads in chunks,
 * because the file may exceed the maximum string length.
 */
export async function isCompleteJson(file: string): Promise<boolean> {
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
