import type { Account } from '../account.ts'

/** One entry that was replaced, and what was there before; `undefined`: nothing. */
export type Replaced = { map: Map<string, unknown>; key: string; before: unknown }

/** What a batch replaced, in order. */
export type Undo = readonly Replaced[]

/** The members of an account that are maps. */
type Part = {
  [K in keyof Account]: Account[K] extends ReadonlyMap<any, any> ? K : never
}[keyof Account]
type Editable = { -readonly [K in keyof Account]: Account[K] }
type Entries<P extends Part> = Account[P] extends ReadonlyMap<infer K, infer V> ? Map<K, V> : never

/**
 * Changes that belong together, usually a block's. An account is copied at its first change in a batch, and a map
 * in it at the map's first: what earlier readers hold stays as it was, and a batch costs at most one copy of each.
 * A batch is made and used without a pause, so that no reader sees half of one.
 */
export class Batch {
  readonly #own = new WeakSet<object>()
  readonly #replaced: Replaced[]

  /** @param replaced where to note what was replaced */
  constructor(replaced: Replaced[]) {
    this.#replaced = replaced
  }

  put<T>(map: Map<string, T>, key: string, value: T): void {
    this.#replaced.push({ map, key, before: map.get(key) })
    map.set(key, value)
  }

  /** The batch's own copy of an account, in its place. */
  account(accounts: Map<string, unknown>, account: Account): Editable {
    if (this.#own.has(account)) return account
    const copy = { ...account }
    this.#own.add(copy)
    this.put(accounts, account.hash, copy)
    return copy
  }

  /** The batch's own copy of a map in an account that is the batch's own. */
  part<P extends Part>(account: Editable, part: P): Entries<P> {
    const map = account[part] as unknown as Entries<P>
    if (this.#own.has(map)) return map
    const copy = new Map(map as Map<unknown, unknown>) as Entries<P>
    this.#own.add(copy)
    account[part] = copy as unknown as Editable[P]
    return copy
  }
}

/**
 * Puts back what a batch replaced. Batches are undone in the opposite order of their making.
 * @returns what undoes the undoing
 */
export function undo(replaced: Undo): Undo {
  return replaced.toReversed().map(({ map, key, before }) => {
    const after = map.get(key)
    if (before === undefined) map.delete(key)
    else map.set(key, before)
    return { map, key, before: after }
  })
}
