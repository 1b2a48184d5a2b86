import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { groupMembers, identify, isAlive, type ProcessIdentity } from './process-table.ts'

/** What the lock's holder writes beside it: who it is, whom it started, and where its services are while they run. */
type Record = {
  holder: ProcessIdentity
  children: { name: string; leader: ProcessIdentity }[]
  addresses?: StackAddresses
}

/** For whoever verifies this stack (`svc verify` takes them from here): no secret is among them. */
export type StackAddresses = {
  base_url: string
  triggers_url: string
  chain_rpc: string
  /** `ip:port`, UDP. */
  dns_server: string
  /** PEM of the authority that the origin's certificate is of. */
  ca_file: string
  /** 0x hex of the governance contract. */
  governance: string
}

/** Leftovers are asked to stop for this long, so that the chain writes its state; then they are killed. */
const ASK_MS = 3_000
/** A killed process is gone from the table at once; one in the kernel's hands may take a moment. */
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
 * One stack a state folder. The lock is a file lock that the system lets go of however its holder ends, so it
 * is never stale; whom a killed holder left running is in the record beside it, and is ended first.
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

  /** Notes a child, so that the next start can end it if this process can not. */
  addChild(name: string, pid: number): void {
    const leader = identify(pid)
    if (!leader) return
    this.#record.children.push({ name, leader })
    this.#write()
  }

  /** Says where the services are, until `release`. */
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
    return undefined // the first start, or a start that was killed while it wrote: nothing was started yet
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
      // It ended by itself.
    }
  }
}

async function until(holds: () => boolean, ms: number): Promise<void> {
  for (let waited = 0; !holds() && waited < ms; waited += 50) await sleep(50)
}
