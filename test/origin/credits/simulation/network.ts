import { EventEmitter } from 'node:events'
import type { ClientBase, PoolConfig } from 'pg'
import type { Rows } from './answer-reader.ts'
import type { Random } from './random.ts'
import type { Server, Session } from './server.ts'
import { type Trace, Violation } from './trace.ts'
import type { Owner, VirtualTime } from './virtual-time.ts'

/** Probabilities of faults for a statement in transit. All are 0 in calm weather. */
export type Weather = {
  /** The connection breaks before the statement arrives. */
  drop: number
  /** The statement is executed, and the connection breaks before the response arrives. */
  lose: number
  /** Up to 3 s late, on the way there or back. */
  slow: number
  /** 5 to 40 s late, which is longer than any caller waits. */
  hang: number
  /** The process is killed, before the statement arrives or after it is executed. */
  kill: number
}

export const CALM: Weather = { drop: 0, lose: 0, slow: 0, hang: 0, kill: 0 }

/** The part of a process that its connections need. */
export type Member = Owner & {
  name: string
  kill: (why: string) => void
  /** Kills the process at its n-th write. Counted down. */
  killAtWrite: { left: number; when: 'before' | 'after' } | undefined
  /** Functions that close its connections. */
  connections: Set<() => void>
}

/** The part of a database server that connections need. */
export type SessionServer = Pick<Server, 'close' | 'submit'> & {
  /** @param client name of the process that connects */
  open(client: string): Session
}

export type Network = {
  time: VirtualTime
  server: SessionServer
  random: Random
  trace: Trace
  weather: Weather
  troubledUntil: number
  /** Modifies statements in transit, to inject a defect. */
  sabotage: ((text: string) => string) | undefined
}

type Query = {
  text: string
  types?: { getTypeParser(type: number, format: 'text'): (value: string) => unknown }
  rowMode?: 'array'
}
type Answer = { rows: unknown[]; rowCount: number; command: string }
type Callback = (error: Error | undefined, answer?: Answer) => void

/** A client for pg's pool that behaves like pg's own, over a network that can fail at each statement. */
export function clientOver(network: Network, member: Member): NonNullable<PoolConfig['Client']> {
  class Connection extends EventEmitter {
    _queryable = true
    _ending = false
    #session: Session | undefined
    #active: Callback | undefined
    readonly #end = () => this.#leave()

    connect(done: (error?: Error) => void): void {
      const { time, server, random, weather } = network
      const refused = random.chance(weather.drop)
      time.after(
        1 + random.fraction(),
        () => {
          if (refused) trouble(network, 0)
          if (refused) return done(new Error('connect ECONNREFUSED'))
          this.#session = server.open(member.name)
          member.connections.add(this.#end)
          done()
        },
        member,
      )
    }

    query(query: Query | string, values?: unknown[] | Callback, callback?: Callback): unknown {
      const config = typeof query === 'string' ? { text: query } : query
      const given = Array.isArray(values) ? values : []
      const done = callback ?? (typeof values === 'function' ? values : undefined)
      if (done) return this.#send(config, given, done)
      return new Promise((resolve, reject) => {
        this.#send(config, given, (error, answer) => (error ? reject(error) : resolve(answer)))
      })
    }

    end(done?: () => void): void {
      this._ending = true
      this._queryable = false
      this.#leave()
      done?.()
    }

    ref(): void {}
    unref(): void {}

    #send(query: Query, values: unknown[], done: Callback): void {
      if (!this._queryable) {
        process.nextTick(
          done,
          new Error('Client has encountered a connection error and is not queryable'),
        )
        return
      }
      this.#active = done
      const asked = filledIn(query.text, values)
      const text = network.sabotage?.(asked) ?? asked
      const fate = fateOf(network, member, text)
      const { time } = network
      const arrive = () => {
        if (!this.#session) return
        if (fate.drop) return this.#broken('lost on its way', text)
        if (fate.kill === 'before') return this.#killed(`before ${brief(text)}`)
        return network.server.submit(this.#session, text, (outcome) => {
          if (fate.kill === 'after') return this.#killed(`after ${brief(text)}`)
          time.after(fate.backMs, () => this.#arrived(query, text, fate, outcome))
        })
      }
      // A statement in transit arrives even if its process is dead by then.
      time.after(fate.thereMs, arrive)
    }

    #arrived(query: Query, text: string, { lose }: Fate, outcome: Rows | Error): void {
      if (lose) return this.#broken('answer lost', text)
      const deliver = () => {
        const done = this.#active
        this.#active = undefined
        if (outcome instanceof Error) done?.(outcome)
        else done?.(undefined, parsed(query, outcome))
      }
      network.time.after(0, deliver, member)
    }

    #broken(why: string, text: string): void {
      const { time, trace } = network
      trace.add(member.name, `${why}: ${brief(text)}`)
      this._queryable = false
      const done = this.#active
      this.#active = undefined
      this.#leave()
      const tell = () => {
        const error = new Error('Connection terminated unexpectedly')
        done?.(error)
        // As pg does, whether or not the connection is checked out.
        trouble(network, 0)
        if (this.listenerCount('error') === 0)
          throw new Violation(
            'a connection that breaks ends the process: nobody listens for its error',
          )
        this.emit('error', error)
      }
      time.after(0, tell, member)
    }

    #killed(why: string): void {
      this.#leave()
      member.kill(why)
    }

    /** The server notices a closed connection at once. */
    #leave(): void {
      const session = this.#session
      this.#session = undefined
      member.connections.delete(this.#end)
      if (session) network.server.close(session)
    }
  }
  return Connection as unknown as new () => ClientBase
}

/** Records a fault that lasts `ms`. Callers that wait for it, or for rows that it has locked, are delayed as well. */
export function trouble(network: Network, ms: number): void {
  network.troubledUntil = Math.max(network.troubledUntil, network.time.now + ms)
}

type Fate = {
  thereMs: number
  backMs: number
  drop: boolean
  lose: boolean
  kill?: 'before' | 'after'
}

function fateOf(network: Network, member: Member, text: string): Fate {
  const { random, weather } = network
  const fate: Fate = {
    thereMs: 0.2 + random.fraction(),
    backMs: 0.2 + random.fraction(),
    drop: random.chance(weather.drop),
    lose: random.chance(weather.lose),
  }
  const late = random.chance(weather.hang)
    ? random.integer(5_000, 40_000)
    : random.chance(weather.slow)
      ? random.integer(20, 3_000)
      : 0
  if (late > 0) trouble(network, late)
  if (random.chance(0.5)) fate.thereMs += late
  else fate.backMs += late
  if (random.chance(weather.kill)) fate.kill = random.pick(['before', 'after'])
  const planned = member.killAtWrite
  if (planned && /^(insert|update|delete|commit)/.test(text) && --planned.left === 0)
    fate.kill = planned.when
  return fate
}

/** Inserts the parameters as literals. The server infers their types as it does for parameters. */
function filledIn(text: string, values: readonly unknown[]): string {
  return text.replaceAll(/\$(\d+)/g, (_, number: string) => {
    const value = values[Number(number) - 1]
    if (value === null || value === undefined) return 'null'
    if (typeof value === 'number' || typeof value === 'bigint') return String(value)
    return quoted(textOf(value))
  })
}

function textOf(value: unknown): string {
  if (value instanceof Date) return value.toISOString()
  if (!Array.isArray(value)) return `${value as string | boolean}`
  const items = value.map((item) => `"${textOf(item).replaceAll(/["\\]/g, String.raw`\$&`)}"`)
  return `{${items.join(',')}}`
}

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`

function parsed(
  { types, rowMode }: Query,
  { rows, types: oids, names, command, count }: Rows,
): Answer {
  const parsers = oids.map((oid) => types?.getTypeParser(oid, 'text') ?? ((value: string) => value))
  const values = rows.map((row) =>
    row.map((value, column) => (value === null ? null : parsers[column]!(value))),
  )
  const answered =
    rowMode === 'array'
      ? values
      : values.map((row) => Object.fromEntries(row.map((value, column) => [names[column], value])))
  return { rows: answered, rowCount: count, command }
}

const brief = (text: string) =>
  /^(select .*?from "\w+"|\w+( into| from)?( "\w+")?)/
    .exec(text)?.[0]
    .replace(/select .*from/, 'select') ?? text
