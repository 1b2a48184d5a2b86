import type { Branch } from './branch.ts'
import type { Snapshot, SnapshotFile } from './snapshot-file.ts'

export type SnapshotKeeperOptions = {
  file: SnapshotFile
  /** Milliseconds; only differences are used. */
  now: () => number
  onFailure: (error: unknown) => void
}

/** After a change, a snapshot is written this often: a killed process has to read as much of the chain again. */
export const SNAPSHOT_EVERY_MS = 5 * 60_000

/** Without a change, one is written when so many blocks have passed: a next start asks for them in one question. */
const SNAPSHOT_EVERY_BLOCKS = 4_000

/** Writes the state at a final block to a file, from time to time and at the end. */
export class SnapshotKeeper {
  readonly #options: SnapshotKeeperOptions
  #last: { at: number; block: number; changes: number } | undefined
  #writing: Promise<void> | undefined

  constructor(options: SnapshotKeeperOptions) {
    this.#options = options
  }

  async read(): Promise<Snapshot | undefined> {
    const found = await this.#options.file.read()
    if (found) this.#last = { at: this.#options.now(), block: found.block.number, changes: 0 }
    return found
  }

  /** Called after each look at the chain; returns at once. */
  consider(branch: Branch): void {
    const { now } = this.#options
    this.#last ??= { at: now(), block: branch.base.number, changes: -1 }
    if (this.#writing || now() - this.#last.at < SNAPSHOT_EVERY_MS) return
    this.#writing = this.#write(branch).finally(() => {
      this.#writing = undefined
    })
  }

  /** Writes a last time. */
  async close(branch: Branch | undefined): Promise<void> {
    await this.#writing
    if (branch) await this.#write(branch)
  }

  async #write(branch: Branch): Promise<void> {
    const { file, now, onFailure } = this.#options
    const final = branch.final()
    const { changes } = branch.state
    if (!final || !this.#isDue(final.block.number, changes)) return
    this.#last = { at: now(), block: final.block.number, changes }
    try {
      await file.write(final.block, final.accounts)
    } catch (error) {
      onFailure(error)
    }
  }

  /** A change above the final block counts at once and is not in the file yet: the next start reads it again. */
  #isDue(block: number, changes: number): boolean {
    const last = this.#last
    if (!last || changes !== last.changes) return true
    return Math.abs(block - last.block) >= SNAPSHOT_EVERY_BLOCKS
  }
}
