import type { Account } from '../account.ts'

/** Replaced entry of a map, with the previous value. `before` is undefined if the entry did not exist. */
export type Replacement = { map: Map<string, unknown>; key: string; before: unknown }

export type UndoLog = readonly Replacement[]

type AccountMapField = {
  [K in keyof Account]: Account[K] extends ReadonlyMap<any, any> ? K : never
}[keyof Account]
type EditableAccount = { -readonly [K in keyof Account]: Account[K] }
type MapEntries<P extends AccountMapField> =
  Account[P] extends ReadonlyMap<infer K, infer V> ? Map<K, V> : never

/**
 * Applies related changes, usually those of one block, by copy-on-write. Earlier readers keep the version that they
 * have, and a batch copies each account or map at most once. All changes of a batch must be applied synchronously, so
 * that no reader sees a partially applied batch.
 */
export class Batch {
  readonly #copies = new WeakSet<object>()
  readonly #replaced: Replacement[]

  constructor(replaced: Replacement[]) {
    this.#replaced = replaced
  }

  put<T>(map: Map<string, T>, key: string, value: T): void {
    this.#replaced.push({ map, key, before: map.get(key) })
    map.set(key, value)
  }

  /** On the first call for an account, replaces the account with the batch's own copy. */
  account(accounts: Map<string, unknown>, account: Account): EditableAccount {
    if (this.#copies.has(account)) return account
    const copy = { ...account }
    this.#copies.add(copy)
    this.put(accounts, account.hash, copy)
    return copy
  }

  /** The account must be a copy returned by `account`. */
  part<P extends AccountMapField>(account: EditableAccount, part: P): MapEntries<P> {
    const map = account[part] as unknown as MapEntries<P>
    if (this.#copies.has(map)) return map
    const copy = new Map(map as Map<unknown, unknown>) as MapEntries<P>
    this.#copies.add(copy)
    account[part] = copy as unknown as EditableAccount[P]
    return copy
  }
}

/**
 * Several batches must be undone in reverse order.
 * @returns the replacements that redo the batch
 */
export function undo(replaced: UndoLog): UndoLog {
  return replaced.toReversed().map(({ map, key, before }) => {
    const after = map.get(key)
    if (before === undefined) map.delete(key)
    else map.set(key, before)
    return { map, key, before: after }
  })
}
