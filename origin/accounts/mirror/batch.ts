import type { Account } from '../account.ts'

/** A replaced entry and its previous value; `undefined` if it did not exist. */
export type Replaced = { map: Map<string, unknown>; key: string; before: unknown }

/** The replacements of a batch, in order. */
export type Undo = readonly Replaced[]

/** The properties of an account that are maps. */
type Part = {
  [K in keyof Account]: Account[K] extends ReadonlyMap<any, any> ? K : never
}[keyof Account]
type Editable = { -readonly [K in keyof Account]: Account[K] }
type Entries<P extends Part> = Account[P] extends ReadonlyMap<infer K, infer V> ? Map<K, V> : never

/**
 * Applies related changes, usually of one block. Copy-on-write: an account is copied on its first change in a
 * batch, and each map in it on that map's first change. Earlier readers keep their version, and a batch costs at most
 * one copy of each. A batch must be applied synchronously, so that no reader sees half of it.
 */
export class Batch {
  readonly #own = new WeakSet<object>()
  readonly #replaced: Replaced[]

  /** @param replaced receives the replaced entries */
  constructor(replaced: Replaced[]) {
    this.#replaced = replaced
  }

  put<T>(map: Map<string, T>, key: string, value: T): void {
    this.#replaced.push({ map, key, before: map.get(key) })
    map.set(key, value)
  }

  /** Returns the batch's copy of an account, replacing the original with it on first use. */
  account(accounts: Map<string, unknown>, account: Account): Editable {
    if (this.#own.has(account)) return account
    const copy = { ...account }
    this.#own.add(copy)
    this.put(accounts, account.hash, copy)
    return copy
  }

  /** Returns the batch's copy of a map in an account that was already copied. */
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
 * Restores what a batch replaced. Batches must be undone in reverse order.
 * @returns the changes that redo the batch
 */
export function undo(replaced: Undo): Undo {
  return replaced.toReversed().map(({ map, key, before }) => {
    const after = map.get(key)
    if (before === undefined) map.delete(key)
    else map.set(key, before)
    return { map, key, before: after }
  })
}
