/** Conditions on arguments of calls, and on fields of typed data. */
import { type AbiType, type AbiValue, fitsInteger, typeName } from './abi-type.ts'
import { hasValidCase } from './address.ts'
import type { Condition } from './document.ts'
import { CONDITIONS_MAX } from './limits.ts'
import { type NamedLists, listOf } from './named-lists.ts'
import { refuse } from './policy-error.ts'
import { valueWords } from './words.ts'

/** Checks a value. Returns undefined if the condition holds. @param wallet lower-case address */
export type Check = (value: AbiValue, wallet: string) => Failure | undefined

/** Describes a failure. Called only if the text is needed, because a condition can fail for thousands of elements. */
export type Failure = () => string

type Place = { path: string; lists: NamedLists }

/**
 * Compiles conditions against the type of the values. Also converts the texts of the conditions to their canonical form
 * in place, which depends on the type: an address or bytes to lower case.
 * @throws {PolicyError} if a condition does not fit the type
 */
export function compileConditions(
  conditions: Condition[] | undefined,
  type: AbiType,
  place: Place,
): Check {
  const { length } = (conditions ?? []).flatMap(withNested)
  if (length > CONDITIONS_MAX)
    refuse(
      place.path,
      `${length} conditions with all nested ones; at most ${CONDITIONS_MAX} are allowed`,
    )
  const checks = (conditions ?? []).map((condition, index) =>
    compileCondition(condition, type, { ...place, path: `${place.path}[${index}]` }),
  )
  return all(checks)
}

const withNested = (condition: Condition): Condition[] => [
  condition,
  ...[...(condition.every ?? []), ...(condition.some ?? [])].flatMap(withNested),
]

const all =
  (checks: readonly Check[]): Check =>
  (value, wallet) => {
    for (const check of checks) {
      const failure = check(value, wallet)
      if (failure !== undefined) return failure
    }
    return undefined
  }

function compileCondition(condition: Condition, type: AbiType, place: Place): Check {
  const { path = '' } = condition
  const { steps, type: target } = resolvePath(path, type, `${place.path}.path`)
  const check = compileChecks(condition, target, place)
  const name = path === '' ? 'the element' : path
  return (value, wallet) => {
    const found = valueAt(value, steps)
    if (found === undefined) return () => `${name} does not exist`
    const failure = check(found, wallet)
    return failure && (() => `${name} ${failure()}`)
  }
}

type Step = { kind: 'member' | 'element'; index: number }

/** @throws {PolicyError} if the type has no such place */
export function resolvePath(
  path: string,
  type: AbiType,
  where: string,
): { steps: Step[]; type: AbiType } {
  const steps: Step[] = []
  let current = type
  for (const [, name, digits] of path.matchAll(/([\w$]+)|\[(-?\d+)\]/g)) {
    if (digits !== undefined) {
      if (current.kind !== 'array') refuse(where, `[${digits}] does not follow an array`)
      const index = Number(digits)
      if (current.length !== null && (index >= current.length || index < -current.length))
        refuse(where, `the array has only ${current.length} elements`)
      steps.push({ kind: 'element', index })
      current = current.of
    } else {
      if (current.kind !== 'tuple')
        refuse(where, `${name} does not follow arguments or a tuple; use [0] for an element`)
      const { members } = current
      const named = members.findIndex((member) => member.name === name)
      const index = named === -1 && /^\d+$/.test(name!) ? Number(name) : named
      const member = members[index]
      if (!member) {
        const known = members.map((each, at) => each.name || String(at)).join(', ')
        refuse(where, `${name} is not one of ${known || 'the arguments: there are none'}`)
      }
      steps.push({ kind: 'member', index })
      current = member.type
    }
  }
  return { steps, type: current }
}

function valueAt(value: AbiValue, steps: readonly Step[]): AbiValue | undefined {
  let current: AbiValue | undefined = value
  for (const { index } of steps) {
    if (!Array.isArray(current)) return undefined
    current = current.at(index)
  }
  return current
}

function compileChecks(condition: Condition, type: AbiType, place: Place): Check {
  const checks: Check[] = []
  const { eq, in: options, lte, gte, prefix, every, some } = condition
  if (eq !== undefined) {
    const expected = constantOf(eq, type, `${place.path}.eq`)
    condition.eq = canonicalText(expected)
    checks.push((value) =>
      value === expected
        ? undefined
        : () => `is ${valueWords(value)} instead of ${valueWords(expected)}`,
    )
  }
  if (options !== undefined) checks.push(compileIn(condition, options, type, place))
  if (lte !== undefined) {
    const max = boundOf(lte, type, `${place.path}.lte`)
    checks.push((value) =>
      (value as bigint) <= max
        ? undefined
        : () => `is ${valueWords(value)}, which is more than ${max}`,
    )
  }
  if (gte !== undefined) {
    const min = boundOf(gte, type, `${place.path}.gte`)
    checks.push((value) =>
      (value as bigint) >= min
        ? undefined
        : () => `is ${valueWords(value)}, which is less than ${min}`,
    )
  }
  if (prefix !== undefined) {
    const start = prefixOf(prefix, type, `${place.path}.prefix`)
    condition.prefix = start
    checks.push((value) =>
      (value as string).startsWith(start)
        ? undefined
        : () => `is ${valueWords(value)}, which does not start with ${valueWords(start)}`,
    )
  }
  if (every !== undefined) checks.push(compileEvery(every, type, place))
  if (some !== undefined) checks.push(compileSome(some, type, place))
  if (checks.length === 0)
    refuse(place.path, 'the condition is empty; add eq, in, lte, gte, prefix, every or some')
  return all(checks)
}

function compileIn(
  condition: Condition,
  options: readonly (string | boolean)[],
  type: AbiType,
  { path, lists }: Place,
): Check {
  const allowed = new Set<AbiValue>()
  let includesWallet = false
  condition.in = options.map((option, index) => {
    const where = `${path}.in[${index}]`
    if (type.kind === 'address' && typeof option === 'string' && option.startsWith('@')) {
      const list = listOf(option, lists, where)
      if (list === 'wallet') includesWallet = true
      else for (const each of list) allowed.add(each)
      return option
    }
    const constant = constantOf(option, type, where)
    if (allowed.has(constant)) refuse(where, 'the value occurs twice; remove one of them')
    allowed.add(constant)
    return canonicalText(constant)
  })
  return (value, wallet) =>
    allowed.has(value) || (includesWallet && value === wallet)
      ? undefined
      : () => `is ${valueWords(value)}, which is not in the rule's list`
}

/** An empty array fulfills no condition: what holds for every element of nothing says nothing. */
function compileEvery(nested: Condition[], type: AbiType, place: Place): Check {
  const check = compileConditions(nested, elementOf(type, place), {
    ...place,
    path: `${place.path}.every`,
  })
  return (value, wallet) => {
    const elements = value as readonly AbiValue[]
    if (elements.length === 0) return () => 'is empty'
    for (const [index, element] of elements.entries()) {
      const failure = check(element, wallet)
      if (failure) return () => `[${index}]: ${failure()}`
    }
    return undefined
  }
}

function compileSome(nested: Condition[], type: AbiType, place: Place): Check {
  const check = compileConditions(nested, elementOf(type, place), {
    ...place,
    path: `${place.path}.some`,
  })
  return (value, wallet) =>
    (value as readonly AbiValue[]).some((element) => check(element, wallet) === undefined)
      ? undefined
      : () => 'has no element that fulfills the condition'
}

function elementOf(type: AbiType, { path }: Place): AbiType {
  if (type.kind !== 'array')
    refuse(path, `every and some need an array, but this is ${typeName(type)}`)
  return type.of
}

function boundOf(text: string, type: AbiType, path: string): bigint {
  if (type.kind !== 'uint' && type.kind !== 'int')
    refuse(path, `only integers have an order, but this is ${typeName(type)}`)
  return constantOf(text, type, path) as bigint
}

function prefixOf(text: string, type: AbiType, path: string): string {
  if (type.kind === 'string') return text
  if (type.kind !== 'bytes' && type.kind !== 'fixed_bytes')
    refuse(path, `only strings and bytes have a prefix, but this is ${typeName(type)}`)
  if (!/^0x(?:[0-9a-fA-F]{2})+$/.test(text))
    refuse(path, 'expected 0x and an even number of hex digits')
  return text.toLowerCase()
}

/** @throws {PolicyError} if the text is not a value of the type */
function constantOf(
  given: string | boolean,
  type: AbiType,
  path: string,
): bigint | boolean | string {
  if (type.kind === 'bool' || typeof given === 'boolean') {
    if (type.kind === 'bool' && typeof given === 'boolean') return given
    refuse(path, `expected ${type.kind === 'bool' ? 'true or false' : typeName(type)}`)
  }
  switch (type.kind) {
    case 'address':
      if (!/^0x[0-9a-fA-F]{40}$/.test(given))
        refuse(path, 'expected an address: 0x and 40 hex digits (lists are allowed in "in")')
      if (!hasValidCase(given))
        refuse(path, 'invalid EIP-55 checksum: copy the address again, or write it in lower case')
      return given.toLowerCase()
    case 'uint':
    case 'int': {
      if (!/^(?:0|-?[1-9][0-9]{0,77})$/.test(given))
        refuse(path, 'expected an integer as a decimal text such as "25"')
      const number = BigInt(given)
      if (!fitsInteger(type, number)) refuse(path, `does not fit ${typeName(type)}`)
      return number
    }
    case 'string':
      return given
    case 'bytes':
    case 'fixed_bytes': {
      const digits = type.kind === 'fixed_bytes' ? `{${type.bytes}}` : '*'
      if (!new RegExp(`^0x(?:[0-9a-fA-F]{2})${digits}$`).test(given))
        refuse(path, `expected ${typeName(type)} as 0x hex`)
      return given.toLowerCase()
    }
    case 'array':
    case 'tuple':
      return refuse(
        path,
        `${typeName(type)} cannot be compared; name one of its members in the path`,
      )
  }
}

const canonicalText = (constant: bigint | boolean | string) =>
  typeof constant === 'bigint' ? String(constant) : constant
