import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { groupMembers, identify, isAlive, type ProcessIdentity } from './process-table.ts'

/**
 * Contents of the record file, which the holder of the lock writes next to the lock. It contains the holder's identity,
 * its child processes and, while the services run, their addresses.
 */
type Record = {
  holder: ProcessIdentity
  children: { name: string; leader: ProcessIdentity }[]
  addresses?: StackAddresses
}

/** Addresses of the stack's services. `svc verify` reads them from the record file. They contain no secrets. */
export type StackAddresses = {
  base_url: string
  triggers_url: string
  chain_rpc: string
  /** Address of the DNS server as `ip:port`, over UDP. */
  dns_server: string
  /** Path of a PEM file with the certificate authority that issued the origin's certificate. */
  ca_file: string
  /** Address of the governance contract in 0x hex. */
  governance: string
}

/**
 * Time for leftover processes to stop on their own, so that the chain can write its state. They are killed afterwards.
 */
const ASK_MS = 3_000
/**
 * Time to wait until a killed process has disappeared. It disappears immediately, unless it is blocked in the kernel.
 */
const KILL_MS = 5_000

export class StateInUse extends Error {
  constructor(folder: string, pid: number | undefined) {
    super(
      `${folder} is in use by another stack${pid === undefined ? '' : ` (pid ${pid})`}; stop it, or set SVC_STATE_DIR to another folder`,
    )
    this.name = 'StateInUse'
  }
}

/**
 * Ensures that only one stack uses a state folder. The lock is a file lock that the operating system releases when the
 * holder exits for any reason, so it is never stale. The record file lists processes that a killed holder left behind.
 * They are terminated when the lock is taken.
 */
export class StateLock {
  readonly #database: DatabaseSync
  readonly #recordFile: string
  readonly #record: Record

  private constructor(database: DatabaseSync, recordFile: string, record: Record) {
    this.#database = database
    this.#recordFile = recordFile
    this.#record = record
  }

  /**
   * Takes the lock of a state folder, and terminates leftover processes of the previous holder.
   * @throws {StateInUse} if another stack holds the lock
   */
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
      throw new StateInUse(folder, holder && isAlive(holder) ? holder.pid : undefined)
    }
    await endLeftovers(earlier?.children ?? [])
    const holder = identify(process.pid)
    if (!holder) throw new Error('this process is not in the process table')
    const lock = new StateLock(database, recordFile, { holder, children: [] })
    lock.#write()
    return lock
  }

  /** Records a child process, so that the next start can terminate it if this process fails to. */
  addChild(name: string, pid: number): void {
    const leader = identify(pid)
    if (!leader) return
    this.#record.children.push({ name, leader })
    this.#write()
  }

  /** Writes the addresses of the services to the record file, where they remain until `release`. */
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

function readRecord(file: string): Record | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Record
  } catch {
    // This is the first start, or an earlier start was killed while writing, before it started any process.
    return undefined
  }
}

async function endLeftovers(children: Record['children']): Promise<void> {
  const left = () => children.flatMap(({ leader }) => groupMembers(leader))
  signalAll(left(), 'SIGINT')
  await until(() => left().length === 0, ASK_MS)
  signalAll(left(), 'SIGKILL')
  await until(() => left().length === 0, KILL_MS)
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

async function until(holds: () => boolean, ms: number): Promise<void> {
  for (let waited = 0; !holds() && waited < ms; waited += 50) await sleep(50)
}
