import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { groupMembers, identify, isAlive, type ProcessIdentity } from './process-table.ts'

/**
 * Content of the record file next to the lock, written by the holder of the lock. `addresses` is present while the
 * services run.
 */
type LockRecord = {
  holder: ProcessIdentity
  children: { name: string; leader: ProcessIdentity }[]
  addresses?: StackAddresses
}

/** Addresses of a running stack. `svc verify` reads them from the record file. They contain no secrets. */
export type StackAddresses = {
  base_url: string
  triggers_url: string
  chain_rpc: string
  /** Address of the name server as `ip:port`, over UDP. */
  dns_server: string
  /** PEM file with the certificate authority that issued the origin's certificate. */
  ca_file: string
  /** Address of the governance contract in 0x hex. */
  governance: string
}

/**
 * Time for which leftover processes may stop on their own, so that the chain can write its state. Afterwards, they are
 * killed.
 */
const INTERRUPT_WAIT_MS = 3_000
/** Time for which to wait for a killed process. It disappears immediately, unless it is blocked in the kernel. */
const KILL_WAIT_MS = 5_000

export class StateInUseError extends Error {
  constructor(folder: string, pid: number | undefined) {
    super(
      `${folder} is in use by another stack${pid === undefined ? '' : ` (pid ${pid})`}; stop it, or set SVC_STATE_DIR to another folder`,
    )
    this.name = 'StateInUseError'
  }
}

/**
 * Ensures that only one stack uses a state folder. The operating system releases the file lock when the lock's holder
 * exits for any reason, so the lock is never stale. Taking the lock terminates processes that a killed holder left
 * behind.
 */
export class StateLock {
  readonly #database: DatabaseSync
  readonly #recordFile: string
  readonly #record: LockRecord

  private constructor(database: DatabaseSync, recordFile: string, record: LockRecord) {
    this.#database = database
    this.#recordFile = recordFile
    this.#record = record
  }

  /** @throws {StateInUseError} if another stack holds the lock */
  static async take(folder: string): Promise<StateLock> {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const recordFile = join(folder, 'stack.json')
    const earlier = readRecord(recordFile)
    const database = new DatabaseSync(join(folder, 'lock.db'))
    try {
      database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
    } catch {
      database.close()
      const holder = readRecord(recordFile)?.holder
      throw new StateInUseError(folder, holder && isAlive(holder) ? holder.pid : undefined)
    }
    await terminateLeftovers(earlier?.children ?? [])
    const holder = identify(process.pid)
    if (!holder) throw new Error('this process is not in the process table')
    const lock = new StateLock(database, recordFile, { holder, children: [] })
    lock.#write()
    return lock
  }

  /** If this process fails to terminate the child, the next start does so. */
  addChild(name: string, pid: number): void {
    const leader = identify(pid)
    if (!leader) return
    this.#record.children.push({ name, leader })
    this.#write()
  }

  /** Writes the addresses to the record file, where they remain until `release`. */
  publish(addresses: StackAddresses): void {
    this.#record.addresses = addresses
    this.#write()
  }

  release(): void {
    this.#record.children = []
    delete this.#record.addresses
    this.#write()
    this.#database.close()
  }

  #write(): void {
    writeFileSync(this.#recordFile, `${JSON.stringify(this.#record, null, 2)}\n`, { mode: 0o600 })
  }
}

function readRecord(file: string): LockRecord | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as LockRecord
  } catch {
    // Either this is the first start, or an earlier start was killed while writing, before it started any process.
    return undefined
  }
}

async function terminateLeftovers(children: LockRecord['children']): Promise<void> {
  const left = () => children.flatMap(({ leader }) => groupMembers(leader))
  signalAll(left(), 'SIGINT')
  await waitUntil(() => left().length === 0, INTERRUPT_WAIT_MS)
  signalAll(left(), 'SIGKILL')
  await waitUntil(() => left().length === 0, KILL_WAIT_MS)
}

function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal)
    } catch {
      // The process to be signaled has already exited.
    }
  }
}

async function waitUntil(holds: () => boolean, ms: number): Promise<void> {
  for (let waited = 0; !holds() && waited < ms; waited += 50) await sleep(50)
}
