import { noRows, type Rows } from '../../credits/simulation/answer-reader.ts'
import type { SessionServer } from '../../credits/simulation/network.ts'
import { Session } from '../../credits/simulation/server.ts'
import type { SyncConnection } from '../../credits/simulation/sync-connection.ts'
import { Violation } from '../../credits/simulation/trace.ts'
import type { VirtualTime } from '../../credits/simulation/virtual-time.ts'

type Done = (outcome: Rows | Error) => void
const CLOCK = /\b(?:clock_timestamp|now)\(\)/g

type Waiting = { session: Session; text: string; done: Done }

/** An idle transaction delays the other sessions for this time. In production, it is 10 s. */
const IDLE_MAX_MS = 2_000

/**
 * A server of many sessions on one connection to Postgres. Transactions are executed one after another: the statements of
 * other sessions wait until a transaction ends. The clock of the database is that of the simulation.
 */
export class SerialServer implements SessionServer {
  readonly #connection: SyncConnection
  readonly #time: VirtualTime
  readonly #epoch: number
  /** Names of the processes that have opened the sessions. */
  readonly #clients = new Map<Session, string>()
  /** The session whose transaction is open, and the transaction's number. */
  #open:
    | { session: Session; isOnServer: boolean; hasWritten: boolean; lastUsed: number }
    | undefined
  #waiting: Waiting[] = []
  /** Results of queries on committed data, until one of their tables may have changed. Many queries are polls. */
  readonly #known = new Map<string, Rows>()
  /** Sessions whose transaction was idle for too long. */
  readonly #terminated = new WeakSet<Session>()
  /** Called after each commit that has changed transactions or attempts, with the name of the process. */
  onCommit: (client: string) => void = () => {}

  constructor(connection: SyncConnection, time: VirtualTime, epoch: number) {
    this.#connection = connection
    this.#time = time
    this.#epoch = epoch
    this.#query('rollback')
  }

  open(client: string): Session {
    const session = new Session()
    this.#clients.set(session, client)
    return session
  }

  close(session: Session): void {
    if (!this.#clients.delete(session)) return
    this.#waiting = this.#waiting.filter((one) => one.session !== session)
    if (this.#open?.session === session) this.#end('rollback')
  }

  submit(session: Session, text: string, done: Done): void {
    if (!this.#clients.has(session)) return
    if (this.#terminated.has(session)) return done(new Error('Connection terminated unexpectedly'))
    const verb = /^\w+/.exec(text)?.[0]
    if (verb === 'commit' || verb === 'rollback') return this.#finish(session, verb, done)
    if (session.hasFailed)
      return done(new Error('current transaction is aborted, commands ignored until its end'))
    if (verb === 'begin') session.inTransaction = true
    if (this.#open && this.#open.session !== session) {
      this.#waiting.push({ session, text, done })
      return
    }
    this.#execute(session, verb === 'begin' ? undefined : text, done)
  }

  /** Returns the rows of a query on committed data. Must not be called while a transaction is open. */
  rows(query: string): Record<string, string | null>[] {
    const { rows, names } = this.#query(query)
    return rows.map((row) => Object.fromEntries(row.map((value, n) => [names[n]!, value])))
  }

  #execute(session: Session, text: string | undefined, done: Done): void {
    if (session.inTransaction) this.#use(session)
    if (text === undefined) return done(noRows('BEGIN'))
    const open = this.#open
    if (open && !open.isOnServer) {
      this.#query('begin')
      open.isOnServer = true
    }
    const isQuery = /^\(?select/i.test(text)
    try {
      const known = isQuery && !open ? this.#known.get(text) : undefined
      const rows = known ?? this.#query(this.#atVirtualTime(text))
      if (isQuery && !open && !this.#readsClock(text)) this.#known.set(text, rows)
      if (!isQuery && rows.count > 0) this.#changed(session, text)
      done(rows)
    } catch (error) {
      if (error instanceof Violation) throw error
      if (open) session.hasFailed = true
      done(error as Error)
    }
  }

  /** Forgets the results of queries that the statement may have changed. */
  #changed(session: Session, text: string): void {
    const isHeartbeat = text.startsWith('insert into "processes"')
    for (const query of this.#known.keys())
      if (!isHeartbeat || query.includes('"processes"')) this.#known.delete(query)
    if (!/"transaction(?:s|_attempts)"/.test(text)) return
    if (this.#open) this.#open.hasWritten = true
    else this.onCommit(this.#clients.get(session)!)
  }

  #finish(session: Session, verb: 'commit' | 'rollback', done: Done): void {
    const { hasFailed } = session
    if (this.#open?.session === session) this.#end(hasFailed ? 'rollback' : verb)
    session.inTransaction = false
    session.hasFailed = false
    done(noRows(hasFailed ? 'ROLLBACK' : verb.toUpperCase()))
  }

  #end(verb: 'commit' | 'rollback'): void {
    const { session, isOnServer, hasWritten } = this.#open!
    const client = this.#clients.get(session)
    if (isOnServer) this.#query(verb)
    if (verb === 'rollback') this.#known.clear()
    this.#open = undefined
    if (verb === 'commit' && hasWritten) this.onCommit(client!)
    // Other sessions continue in the order in which they came, each up to the next transaction.
    for (const next of this.#waiting.splice(0)) this.submit(next.session, next.text, next.done)
  }

  #use(session: Session): void {
    this.#open ??= { session, isOnServer: false, hasWritten: false, lastUsed: 0 }
    const open = this.#open
    open.lastUsed = this.#time.now
    this.#time.after(IDLE_MAX_MS, () => {
      if (this.#open !== open || this.#time.now - open.lastUsed < IDLE_MAX_MS) return
      this.#terminated.add(session)
      this.#end('rollback')
    })
  }

  #readsClock(text: string): boolean {
    return text.search(CLOCK) >= 0
  }

  get now(): Date {
    return new Date(this.#epoch + this.#time.now)
  }

  #atVirtualTime(text: string): string {
    const now = this.now.toISOString()
    return text.replaceAll(CLOCK, `'${now}'::timestamptz`)
  }

  #query(text: string): Rows {
    const { results, error } = this.#connection.query(text)
    if (error) throw error
    return results.at(-1) ?? noRows('')
  }
}
