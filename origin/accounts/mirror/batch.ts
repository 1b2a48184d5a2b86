import type { Account } from '../account.ts'

/** `before` is undefined if the entry did not exist. */
export type Replaced = { map: Map<string, unknown>; key: string; before: unknown }

export type Undo = readonly Replaced[]

type Part = {
  [K in keyof Account]: Account[K] extends ReadonlyMap<any, any> ? K : never
}[keyof Account]
type Editable = { -readonly [K in keyof Account]: Account[K] }
type Entries<P extends Part> = Account[P] extends ReadonlyMap<infer K, infer V> ? Map<K, V> : never

/**
 * Applies related changes, usually of one block, with copy-on-write: earlier readers keep their version, and a batch
 * copies each account or map at most once. A batch must be applied synchronously, so that no reader sees it half
 * applied.
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

  /** On first use, replaces the account with the batch's own copy. */
  account(accounts: Map<string, unknown>, account: Account): Editable {
    if (this.#own.has(account)) return account
    const copy = { ...account }
    this.#own.add(copy)
    this.put(accounts, account.hash, copy)
    return copy
  }

  /** The account must already be a copy. */
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
 * Batches must be undone in reverse order.
 * @returns the replacements that redo the batch
 */
export function undo(replaced: Undo): Undo {
  return replaced.toReversed().map(({ map, key, before }) => {
    const after = map.get(key)
    if (before === undefined) map.delete(key)
    else map.set(key, before)
    return { map, key, before: after }
  })
}
