import { createHmac, timingSafeEqual } from 'node:crypto'
import { mkdir, open, readFile, rename, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { StoredAccount } from './account-codec.ts'
import { FieldReader, FieldWriter } from './byte-fields.ts'
import type { BlockId } from './account-config-reader.ts'
import { AccountsState, indexAccounts } from '../state.ts'

export function snapshotPath(
  stateDir: string,
  { chainId, contractAddress }: { chainId: bigint; contractAddress: string },
): string {
  return join(stateDir, 'origin', `mirror-${chainId}-${contractAddress.toLowerCase()}.snapshot`)
}

type SnapshotFileOptions = {
  path: string
  /**
   * 32-byte HMAC key, derived from the root key. Prevents an attacker who has only write access to the folder from
   * granting permissions.
   */
  key: Uint8Array
  chainId: bigint
  contractAddress: string
  onUnusable: (reason: string) => void
}

/** Implemented by `Map` and by `AccountsAtBlock`. */
type Accounts = { size: number; values(): Iterable<StoredAccount> }

export type Snapshot = { block: BlockId; state: AccountsState }

/**
 * Magic bytes at the start of a snapshot, which include the format version. Any change to the layout of the file or of
 * an account requires a new version.
 */
const FORMAT = Buffer.from('svc-mirror-2\n')
const MAC_BYTES = 32

/** Size of a chunk, which is copied synchronously. */
const CHUNK_BYTES = 128 * 1024

/**
 * Stores the state at one block in a file:
 *
 * format · chain id · contract · block number · block hash · number of accounts · (length · account)* · HMAC
 *
 * A file is used either completely or not at all. The HMAC-SHA256 covers all preceding bytes, and detects files that
 * are truncated, damaged, or from another deployment.
 */
export class SnapshotFile {
  readonly #options: SnapshotFileOptions

  constructor(options: SnapshotFileOptions) {
    this.#options = options
  }

  /** Returns undefined if no usable file exists. */
  async read(): Promise<Snapshot | undefined> {
    const { path, onUnusable } = this.#options
    let bytes: Buffer
    try {
      bytes = await readFile(path)
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code
      if (code !== 'ENOENT') onUnusable(`cannot be read (${code ?? 'unknown'})`)
      return undefined
    }
    const reason = this.#invalidReason(bytes)
    if (reason === undefined) return this.#decode(bytes)
    onUnusable(reason)
    return undefined
  }

  /** Other tasks can run between chunks, but the accounts must not change during the write. */
  async write(block: BlockId, accounts: Accounts): Promise<void> {
    const { path, key } = this.#options
    const draft = `${path}.new`
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    const file = await open(draft, 'w', 0o600)
    try {
      const mac = createHmac('sha256', key)
      for (const chunk of this.#chunks(block, accounts)) {
        mac.update(chunk)
        await file.write(chunk)
      }
      await file.write(mac.digest())
      await file.sync()
    } catch (error) {
      await file.close()
      await unlink(draft)
      throw error
    }
    await file.close()
    await rename(draft, path)
  }

  *#chunks(block: BlockId, accounts: Accounts): Generator<Uint8Array> {
    yield FORMAT
    const head = new FieldWriter()
    for (const part of this.#identity()) head.text(part)
    head.number(block.number)
    head.word(block.hash)
    head.number(accounts.size)
    yield head.take()

    const chunk = new FieldWriter()
    for (const account of accounts.values()) {
      chunk.bytes(account.bytes)
      if (chunk.length >= CHUNK_BYTES) yield chunk.take()
    }
    yield chunk.take()
  }

  #invalidReason(bytes: Buffer): string | undefined {
    if (!bytes.subarray(0, FORMAT.length).equals(FORMAT)) return 'unknown format'
    if (bytes.length < FORMAT.length + MAC_BYTES) return 'truncated'
    const end = bytes.length - MAC_BYTES
    const mac = createHmac('sha256', this.#options.key).update(bytes.subarray(0, end)).digest()
    if (!timingSafeEqual(mac, bytes.subarray(end)))
      return 'truncated, corrupted, or written by another deployment'
    const from = new FieldReader(bytes.subarray(FORMAT.length))
    if (this.#identity().some((part) => from.text() !== part))
      return 'belongs to another chain or contract'
    return undefined
  }

  #decode(bytes: Buffer): Snapshot {
    const from = new FieldReader(bytes.subarray(FORMAT.length, bytes.length - MAC_BYTES))
    for (const _ of this.#identity()) from.text()
    const block = { number: from.number(), hash: from.word() }
    const accounts = from.list(() => new StoredAccount(from.bytes()))
    return { block, state: new AccountsState(indexAccounts(accounts)) }
  }

  #identity(): string[] {
    return [String(this.#options.chainId), this.#options.contractAddress.toLowerCase()]
  }
}
