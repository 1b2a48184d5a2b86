import { type Answer, noRows, type Rows } from './answer-reader.ts'
import { type Locking, lockingOf, tablesOf } from './row-locks.ts'
import type { SyncConnection } from './sync-connection.ts'
import { Violation } from './trace.ts'

type Done = (outcome: Rows | Error) => void

/** One connection, as the server sees it. */
export class Session {
  inTransaction = false
  /** After an error, the rest of a transaction is rejected. */
  hasFailed = false
  /** Statements with changes that are not committed. */
  readonly writes: string[] = []
  readonly locks = new Set<string>()
  waiting: { text: string; done: Done; blocker: Session } | undefined
}

/** An executed statement, with the names of the rows that it locks. */
type Executed = { names: string[]; outcome: Rows | Error }
type Blocked = { blocker: Session }

const prepared = new WeakSet<SyncConnection>()

/**
 * A server of many sessions on one connection to Postgres. Statements of transactions interleave as under READ
 * COMMITTED. The connection holds the open transaction of one session at a time. Changes by other sessions are rolled
 * back, and replayed before their next statement. That gives the same rows, because no other session can have changed
 * them: a session that needs a row written or locked by another transaction waits until that transaction ends.
 */
export class Server {
  readonly #connection: SyncConnection
  readonly #sessions = new Set<Session>()
  readonly #owners = new Map<string, Session>()
  /** Results of queries on committed data, until one of their tables changes. Many queries are polls. */
  readonly #known = new Map<string, Executed & { tables: string[] }>()
  /** The session whose transaction is open on the connection. */
  #open: Session | undefined
  /**
   * Sent together with the next statement, to save round trips. The first one rolls back what the last simulation left
   * open.
   */
  readonly #ahead = ['rollback']
  /** Inspects the committed data after each commit that changed it. */
  audit: { query: string; look: (rows: unknown[][]) => void } | undefined

  constructor(connection: SyncConnection) {
    this.#connection = connection
  }

  /** Prepares a statement, once per connection. */
  prepare(statement: string): void {
    if (prepared.has(this.#connection)) return
    prepared.add(this.#connection)
    const { error } = this.#send([statement])
    if (error) throw error
  }

  open(): Session {
    const session = new Session()
    this.#sessions.add(session)
    return session
  }

  /** Closes a connection and rolls back its uncommitted changes. */
  close(session: Session): void {
    if (!this.#sessions.delete(session)) return
    session.waiting = undefined
    this.#end(session)
  }

  /** Executes a statement, at once or as soon as the rows that it needs are free. */
  submit(session: Session, text: string, done: Done): void {
    if (!this.#sessions.has(session)) return
    const verb = /^\w+/.exec(text)?.[0]
    if (verb === 'begin') {
      session.inTransaction = true
      return done(noRows('BEGIN'))
    }
    if (verb === 'commit') return this.#commit(session, done)
    if (verb === 'rollback') {
      this.#end(session)
      return done(noRows('ROLLBACK'))
    }
    if (session.hasFailed)
      return done(new Error('current transaction is aborted, commands ignored until its end'))
    this.#attempt(session, text, done)
  }

  /** Returns the result of a query on committed data. */
  peek(query: string): unknown[][] {
    const { outcome } = this.#queryCommitted(query)
    if (outcome instanceof Error) throw outcome
    return outcome.rows
  }

  #commit(session: Session, done: Done): void {
    const { hasFailed } = session
    if (!hasFailed && session.writes.length > 0) {
      this.#enter(session)
      this.#open = undefined
      const outcome = this.#commitChange('commit', session.writes)
      if (outcome instanceof Error) throw outcome
    }
    this.#end(session)
    done(noRows(hasFailed ? 'ROLLBACK' : 'COMMIT'))
  }

  #attempt(session: Session, text: string, done: Done): void {
    const attempted = isQuery(text) ? this.#query(session, text) : this.#change(session, text)
    if ('blocker' in attempted) {
      const { blocker } = attempted
      if (waitsFor(blocker, session))
        return this.#fail(session, new Error('deadlock detected'), done)
      session.waiting = { text, done, blocker }
      return
    }
    const { names, outcome } = attempted
    if (outcome instanceof Error) return this.#fail(session, outcome, done)
    if (session.inTransaction)
      for (const name of names) {
        this.#owners.set(name, session)
        session.locks.add(name)
      }
    done(outcome)
  }

  #query(session: Session, text: string): Executed | Blocked {
    let executed: Executed
    if (session.writes.length === 0) executed = this.#queryCommitted(text)
    else {
      this.#enter(session)
      executed = this.#execute(lockingOf(text), text)
    }
    return this.#blocked(session, executed.names) ?? executed
  }

  #queryCommitted(text: string): Executed {
    const known = this.#known.get(text)
    if (known) return known
    this.#leave()
    const executed = this.#execute(lockingOf(text), text)
    this.#known.set(text, { ...executed, tables: tablesOf(text) })
    return executed
  }

  #change(session: Session, text: string): Executed | Blocked {
    const lockings = lockingOf(text)
    const blocked = this.#blocked(session, namesOf(lockings, []))
    if (blocked) return blocked
    if (!session.inTransaction) return this.#changeAtOnce(session, lockings, text)
    this.#enter(session)
    const executed = this.#execute(lockings, text)
    const blockedNow = this.#blocked(session, executed.names)
    if (blockedNow) {
      // The rows that it locks were not known before it was executed.
      this.#leave()
      return blockedNow
    }
    if ('rows' in executed.outcome && !changedNothing(executed.outcome)) session.writes.push(text)
    return executed
  }

  /** Executes a change outside of a transaction. The rows that it locks must be known before. */
  #changeAtOnce(session: Session, lockings: Locking[], text: string): Executed | Blocked {
    this.#leave()
    const queries = queriesOf(lockings)
    if (this.#owners.size > 0 && queries.length > 0) {
      const { results, error } = this.#send(queries)
      if (error) return { names: [], outcome: error }
      const blocked = this.#blocked(session, namesOf(lockings, results))
      if (blocked) return blocked
    }
    return { names: [], outcome: this.#commitChange(text, [text]) }
  }

  #blocked(session: Session, names: string[]): Blocked | undefined {
    const taken = names.find((name) => (this.#owners.get(name) ?? session) !== session)
    return taken === undefined ? undefined : { blocker: this.#owners.get(taken)! }
  }

  #fail(session: Session, error: Error, done: Done): void {
    if (this.#open === session) this.#leave()
    if (session.inTransaction) session.hasFailed = true
    session.writes.length = 0
    done(error)
  }

  /** Ends a transaction and resumes the sessions that waited for it. */
  #end(session: Session): void {
    if (this.#open === session) this.#leave()
    for (const name of session.locks) this.#owners.delete(name)
    session.locks.clear()
    session.writes.length = 0
    session.inTransaction = false
    session.hasFailed = false
    for (const other of this.#sessions) {
      const { waiting } = other
      if (waiting?.blocker !== session) continue
      other.waiting = undefined
      this.#attempt(other, waiting.text, waiting.done)
    }
  }

  /** Makes the next statement part of this session's transaction. */
  #enter(session: Session): void {
    if (this.#open === session) return
    this.#leave()
    this.#ahead.push('begin', ...session.writes)
    this.#open = session
  }

  /** Makes the next statement run on committed data. */
  #leave(): void {
    if (this.#open) this.#ahead.push('rollback')
    this.#open = undefined
  }

  /** Executes a statement, together with the queries for the rows that it locks. */
  #execute(lockings: Locking[], text: string): Executed {
    const queries = queriesOf(lockings)
    const { results, error } = this.#send([...queries, text])
    const names = namesOf(lockings, results)
    return { names, outcome: error ?? sorted(text, results[queries.length]!) }
  }

  /**
   * Executes a statement that commits changes, and audits the result.
   * @param changes the statements that made the changes
   */
  #commitChange(text: string, changes: readonly string[]): Rows | Error {
    const { audit } = this
    const { results, error } = this.#send([text, ...(audit ? [audit.query] : [])])
    const [rows, audited] = results
    if (!rows) return error!
    if (error) throw new Violation(`the audit fails: ${error.message}`)
    if (!changedNothing(rows)) this.#forget(changes)
    audit?.look(audited!.rows)
    return sorted(text, rows)
  }

  #forget(changes: readonly string[]): void {
    const changed = new Set(changes.flatMap(tablesOf))
    for (const [query, { tables }] of this.#known)
      if (tables.some((table) => changed.has(table))) this.#known.delete(query)
  }

  #send(statements: string[]): Answer {
    const ahead = this.#ahead.splice(0)
    const { results, error } = this.#connection.query([...ahead, ...statements].join('; '))
    if (error && results.length < ahead.length)
      throw new Violation(`a transaction cannot be replayed: ${error.message}`)
    return { results: results.slice(ahead.length), error }
  }
}

const isQuery = (text: string) => /^\(?select/.test(text)

const changedNothing = ({ command, count }: Rows) =>
  count === 0 && /^(INSERT|UPDATE|DELETE)$/.test(command)

function waitsFor(session: Session, other: Session): boolean {
  for (let next: Session | undefined = session; next; next = next.waiting?.blocker)
    if (next === other) return true
  return false
}

const queriesOf = (lockings: Locking[]) =>
  lockings.flatMap((locking) => ('query' in locking ? [locking.query] : []))

/** @param results of the queries among `lockings`; names of a query without a result are left out */
function namesOf(lockings: Locking[], results: readonly Rows[]): string[] {
  const left = results.values()
  return lockings.flatMap((locking) => {
    const names =
      'names' in locking ? locking.names : (left.next().value?.rows ?? []).map(([name]) => name!)
    return names.map((name) => `${locking.table}/${name}`)
  })
}

/** Sorts rows if the statement does not: a server guarantees no order, and reused pages change it. */
function sorted(text: string, rows: Rows): Rows {
  if (!/ order by |^insert/.test(text)) rows.rows.sort((a, b) => (String(a) < String(b) ? -1 : 1))
  return rows
}
