import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { groupMembers, identify, isAlive, type ProcessIdentity } from './process-table.ts'

/**
 * Record that the lock's holder writes next to the lock: its identity, its children, and the addresses of its services
 * while they run.
 */
type Record = {
  holder: ProcessIdentity
  children: { name: string; leader: ProcessIdentity }[]
  addresses?: StackAddresses
}

/** Addresses for verifying this stack, which `svc verify` reads from the record. They contain no secrets. */
export type StackAddresses = {
  base_url: string
  triggers_url: string
  chain_rpc: string
  /** `ip:port`, UDP. */
  dns_server: string
  /** PEM of the authority that issued the origin's certificate. */
  ca_file: string
  /** The governance contract as 0x hex. */
  governance: string
}

/** Time for leftovers to stop by themselves, so that the chain can write its state. Then they are killed. */
const ASK_MS = 3_000
/** A killed process disappears at once, unless it is blocked in the kernel. */
const KILL_MS = 5_000

export class StateInUse extends Error {
  constructor(folder: string, pid: number | undefined) {
    super(
      `${folder} is in use by another stack${pid === undefined ? '' : ` (pid ${pid})`}: stop it, or set SVC_STATE_DIR to another folder`,
    )
    this.name = 'StateInUse'
  }
}

/**
 * Allows one stack per state folder. The operating system releases the file lock however its holder exits, so the lock
 * is never stale. Processes that a killed holder left behind are in the record, and are terminated first.
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

  /** @throws {StateInUse} */
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

  /** Records a child, so that the next start can terminate it if this process cannot. */
  addChild(name: string, pid: number): void {
    const leader = identify(pid)
    if (!leader) return
    this.#record.children.push({ name, leader })
    this.#write()
  }

  /** Publishes the addresses of the services until `release`. */
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
    return undefined // the first start, or an earlier start was killed while writing and had not started anything yet
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
      // The process has already exited.
    }
  }
}

async function until(holds: () => boolean, ms: number): Promise<void> {
  for (let waited = 0; !holds() && waited < ms; waited += 50) await sleep(50)
}
