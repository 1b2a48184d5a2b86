import { messages, type PGlite, protocol } from '@electric-sql/pglite'
import { lockingOf } from './row-locks.ts'

export type Rows = {
  rows: unknown[][]
  types: number[]
  names: string[]
  command: string
  count: number
}
type Done = (outcome: Rows | Error) => void

/** One connection, as the server sees it. */
class Session {
  inTransaction = false
  /** After an error the rest of a transaction is refused. */
  hasFailed = false
  /** What it has written and not committed. */
  readonly writes: string[] = []
  readonly locks = new Set<string>()
  waiting: { text: string; done: Done; blocker: Session } | undefined
}
export type { Session }

const prepared = new WeakSet<PGlite>()

/**
 * A server of many sessions on one embedded database, which has only one: the statements of transactions interleave
 * as on a server under READ COMMITTED. The transaction whose turn it is is there; what the others have written is
 * undone, and done again when their turn comes. That gives the same rows, since nobody else could change them: who
 * wants a row that another transaction has written or locked waits until that one has ended.
 */
export class Server {
  readonly #database: PGlite
  readonly #sessions = new Set<Session>()
  readonly #owners = new Map<string, Session>()
  /** Answers to what was asked outside of transactions since the last change: polling is most of what happens. */
  readonly #answers = new Map<string, Rows>()
  #there: Session | undefined
  /** Looks at what is committed, after each commit that changed something. */
  audit: { query: string; look: (rows: unknown[][]) => void } | undefined

  constructor(database: PGlite) {
    this.#database = database
  }

  /** Prepares a statement, unless that was done. */
  prepare(statement: string): void {
    if (prepared.has(this.#database)) return
    prepared.add(this.#database)
    this.#exec(statement)
  }

  open(): Session {
    const session = new Session()
    this.#sessions.add(session)
    return session
  }

  /** The connection is gone: what it has not committed is undone. */
  close(session: Session): void {
    if (!this.#sessions.delete(session)) return
    session.waiting = undefined
    this.#end(session)
  }

  /** Carries a statement out, at once or when the rows that it needs are free. */
  submit(session: Session, text: string, done: Done): void {
    if (!this.#sessions.has(session)) return
    const verb = /^\w+/.exec(text)?.[0]
    if (verb === 'begin') {
      session.inTransaction = true
      return done(none('BEGIN'))
    }
    if (verb === 'commit') return this.#commit(session, done)
    if (verb === 'rollback') {
      this.#end(session)
      return done(none('ROLLBACK'))
    }
    if (session.hasFailed)
      return done(new Error('current transaction is aborted, commands ignored until its end'))
    this.#attempt(session, text, done)
  }

  /** What is committed now. */
  peek(query: string): unknown[][] {
    this.#leave()
    return this.#exec(query).at(-1)!.rows
  }

  #commit(session: Session, done: Done): void {
    if (session.hasFailed) {
      this.#end(session)
      return done(none('ROLLBACK'))
    }
    const changed = session.writes.length > 0
    if (changed) {
      this.#enter(session)
      const { audit } = this
      const results = this.#exec(audit ? `commit; ${audit.query}` : 'commit')
      this.#there = undefined
      this.#answers.clear()
      audit?.look(results.at(-1)!.rows)
    }
    this.#end(session)
    done(none('COMMIT'))
  }

  #attempt(session: Session, text: string, done: Done): void {
    const isRead = /^\(?select/.test(text) && !/ for (no key )?update/.test(text)
    const known = session.inTransaction ? undefined : this.#answers.get(text)
    if (known) return done(known)
    this.#enter(session)
    let names: string[] = []
    try {
      names = this.#locksOf(text)
    } catch (error) {
      return this.#fail(session, error, done)
    }
    const taken = names.find((name) => (this.#owners.get(name) ?? session) !== session)
    if (taken !== undefined) {
      const blocker = this.#owners.get(taken)!
      if (waitsFor(blocker, session))
        return this.#fail(session, new Error('deadlock detected'), done)
      session.waiting = { text, done, blocker }
      return
    }
    try {
      const { audit } = this
      const looks = !session.inTransaction && !isRead && audit !== undefined
      const results = this.#exec(looks ? `${text}; ${audit.query}` : text)
      const rows = results[0]!
      // A server promises no order, and pages that were used before give another one.
      if (!/ order by |^insert/.test(text))
        rows.rows.sort((a, b) => (String(a) < String(b) ? -1 : 1))
      if (session.inTransaction) {
        for (const name of names) this.#owners.set(name, session)
        for (const name of names) session.locks.add(name)
        if (!isRead && rows.command !== 'SELECT') session.writes.push(text)
      } else if (isRead) this.#answers.set(text, rows)
      else this.#answers.clear()
      if (looks) audit.look(results.at(-1)!.rows)
      done(rows)
    } catch (error) {
      if (error instanceof Error && error.name === 'Violation') throw error
      this.#fail(session, error, done)
    }
  }

  #locksOf(text: string): string[] {
    return lockingOf(text).flatMap((locking) => {
      if ('names' in locking) return locking.names.map((name) => `${locking.table}/${name}`)
      const [found] = this.#exec(locking.query)
      return found!.rows.map(([name]) => `${locking.table}/${String(name)}`)
    })
  }

  #fail(session: Session, error: unknown, done: Done): void {
    if (this.#there === session) {
      this.#exec('rollback')
      this.#there = undefined
    }
    if (session.inTransaction) session.hasFailed = true
    session.writes.length = 0
    done(error instanceof Error ? error : new Error(String(error)))
  }

  /** The transaction is over; those who waited for it go on. */
  #end(session: Session): void {
    if (this.#there === session) this.#leave()
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

  #enter(session: Session): void {
    if (this.#there === session) return
    this.#leave()
    if (!session.inTransaction) return
    this.#exec(['begin', ...session.writes].join('; '))
    this.#there = session
  }

  #leave(): void {
    if (!this.#there) return
    this.#exec('rollback')
    this.#there = undefined
  }

  /** Values stay text, so that the driver of production parses them. */
  #exec(text: string): Rows[] {
    const found: Rows[] = []
    let current = none('')
    let failure: Error | undefined
    const answer = this.#database.execProtocolRawSync(protocol.serialize.query(text))
    new protocol.Parser().parse(answer, (message) => {
      if (message instanceof messages.DatabaseError) failure = message
      else if (message instanceof messages.RowDescriptionMessage) {
        current.types = message.fields.map(({ dataTypeID }) => dataTypeID)
        current.names = message.fields.map(({ name }) => name)
      } else if (message instanceof messages.DataRowMessage) current.rows.push(message.fields)
      else if (message instanceof messages.CommandCompleteMessage) {
        const [command = '', ...counts] = message.text.split(' ')
        found.push({ ...current, command, count: Number(counts.at(-1) ?? 0) })
        current = none('')
      }
    })
    if (failure) throw failure
    return found
  }
}

function waitsFor(session: Session, other: Session): boolean {
  for (let next: Session | undefined = session; next; next = next.waiting?.blocker)
    if (next === other) return true
  return false
}

const none = (command: string): Rows => ({ rows: [], types: [], names: [], command, count: 0 })
