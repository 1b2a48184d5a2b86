import type { AbiType } from '../abi-type.ts'
import { resolvePath } from '../conditions.ts'
import type { Condition } from '../document.ts'
import { type NamedLists, listOf } from '../named-lists.ts'
import { only, WALLET } from './choice.ts'
import type { Fact } from './facts.ts'

/**
 * Converts conditions on a type to facts. Arguments are identified by position, because their names do not matter.
 * @param prefix distinguishes the arguments of different functions
 */
export function conditionFacts(
  conditions: readonly Condition[] | undefined,
  type: AbiType,
  lists: NamedLists,
  prefix: string,
): Fact[] {
  return (conditions ?? []).flatMap((condition) => factsOf(condition, type, lists, prefix))
}

function factsOf(condition: Condition, parent: AbiType, lists: NamedLists, prefix: string): Fact[] {
  const { path = '', eq, in: options, lte, gte, prefix: start, every, some } = condition
  const { steps, type } = resolvePath(path, parent, path)
  const place = [prefix, ...steps.map(({ index }) => String(index))].join('/')
  const facts: Fact[] = []
  const value = (constant: string | boolean) =>
    type.kind === 'uint' || type.kind === 'int' ? BigInt(constant) : constant
  if (eq !== undefined) facts.push({ place, kind: 'in', choice: only([value(eq)]) })
  if (options !== undefined) {
    const values = options.flatMap((option) =>
      type.kind === 'address' && typeof option === 'string'
        ? addressesOf(option, lists)
        : [value(option)],
    )
    facts.push({ place, kind: 'in', choice: only(values) })
  }
  if (lte !== undefined) facts.push({ place, kind: 'lte', bound: BigInt(lte) })
  if (gte !== undefined) facts.push({ place, kind: 'gte', bound: BigInt(gte) })
  if (start !== undefined) facts.push({ place, kind: 'prefix', prefix: start })
  if (type.kind !== 'array') return facts
  if (every !== undefined)
    facts.push({ place, kind: 'every', facts: conditionFacts(every, type.of, lists, '') })
  if (some !== undefined)
    facts.push({ place, kind: 'some', facts: conditionFacts(some, type.of, lists, '') })
  return facts
}

/** @param entry an address, or the name of a list */
export function addressesOf(entry: string, lists: NamedLists): readonly unknown[] {
  if (!entry.startsWith('@')) return [entry]
  const list = listOf(entry, lists, entry)
  return list === 'wallet' ? [WALLET] : list
}
