import type { Work } from './work.ts'

/** A set of values, or all values except those of a set. */
export type Choice = { only: ReadonlySet<unknown> } | { except: ReadonlySet<unknown> }

/** Stands for the wallet's address, which is unknown here: any address except the zero address. */
export const WALLET = Symbol('wallet')

export const ANYTHING: Choice = { except: new Set() }

export const only = (values: Iterable<unknown>): Choice => ({ only: new Set(values) })
export const except = (values: Iterable<unknown>): Choice => ({ except: new Set(values) })

/** Returns the intersection, or a superset of it if one set contains the wallet. */
export function meet(one: Choice, other: Choice, work: Work): Choice {
  work.spend(sizeOf(one) + sizeOf(other))
  if ('except' in one && 'except' in other) return except([...one.except, ...other.except])
  if ('except' in one) return meet(other, one, work)
  const values = [...one.only]
  if ('except' in other) return only(values.filter((value) => !other.except.has(value)))
  const hasAddress = [...other.only].some((value) => typeof value === 'string')
  return only(
    values.filter(
      (value) =>
        other.only.has(value) ||
        (value === WALLET && hasAddress) ||
        (typeof value === 'string' && other.only.has(WALLET)),
    ),
  )
}

/** Returns true only if `inner` is a subset of `outer`. */
export function isWithin(inner: Choice, outer: Choice, work: Work): boolean {
  work.spend(sizeOf(inner) + sizeOf(outer))
  if ('only' in inner)
    return [...inner.only].every((value) =>
      'only' in outer ? outer.only.has(value) : !outer.except.has(value),
    )
  return 'except' in outer && [...outer.except].every((value) => inner.except.has(value))
}

const sizeOf = (choice: Choice) => ('only' in choice ? choice.only : choice.except).size
