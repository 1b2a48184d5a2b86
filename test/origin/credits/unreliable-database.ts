/** Databases that execute their statements, but respond late or never, or are counted. */
import type { OpenDatabase } from '../../../origin/db/open.ts'

type Db = OpenDatabase['db']

/** Counts the transactions of a database, and its statements outside of a transaction. */
export function counted(db: Db) {
  const asked = { times: 0 }
  return { db: afterCommits(db, async () => void asked.times++), asked }
}

/** A database that executes commits, but does not respond to them while `lose` is set. */
export function losingAnswers(db: Db) {
  const losing = { db, lose: false }
  losing.db = afterCommits(db, async () => {
    if (losing.lose) throw new Error('the connection broke after the commit')
  })
  return losing
}

/** A database that delays the responses to commits from `hold` until `answer`. */
export function slowAnswers(db: Db) {
  let gate = Promise.resolve()
  let open = () => {}
  const hold = () => void (gate = new Promise((resolve) => (open = resolve)))
  return { db: afterCommits(db, () => gate), hold, answer: () => open() }
}

/** An unreachable database. */
export function away(db: Db): Db {
  return new Proxy(db, { get: () => () => Promise.reject(new Error('connection refused')) })
}

/** A database that is unreachable while `isAway` is set. */
export function goingAway(db: Db) {
  const going = { db, isAway: false }
  going.db = new Proxy(db, {
    get(target, name) {
      if (going.isAway) return () => Promise.reject(new Error('connection refused'))
      const value = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  return going
}

function afterCommits(db: Db, then: () => Promise<void>): Db {
  return new Proxy(db, {
    get(target, name) {
      const value = Reflect.get(target, name)
      if (name !== 'transaction' && name !== 'execute')
        return typeof value === 'function' ? value.bind(target) : value
      return async (work: never) => {
        const answer: unknown = await Reflect.apply(value as () => unknown, target, [work])
        await then()
        return answer
      }
    },
  })
}
