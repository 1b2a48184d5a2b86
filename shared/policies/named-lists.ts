import { type PolicyDocument, WALLET_LIST } from './document.ts'
import { refuse } from './policy-error.ts'

/** Addresses of each list of a policy, by the list's name. */
export type NamedLists = ReadonlyMap<string, readonly string[]>

/** @throws {PolicyError} if two lists have the same name, or an address occurs twice */
export function namedLists({ lists = [] }: PolicyDocument): NamedLists {
  const named = new Map<string, readonly string[]>()
  for (const [index, { name, addresses }] of lists.entries()) {
    const path = `lists[${index}]`
    if (named.has(name) || `@${name}` === WALLET_LIST)
      refuse(`${path}.name`, `the name ${name} is taken; choose another`)
    const twice = addresses.findIndex((each, at) => addresses.indexOf(each) !== at)
    if (twice !== -1) refuse(`${path}.addresses[${twice}]`, 'the address occurs twice; remove one')
    named.set(name, addresses)
  }
  return named
}

/** @param reference name of a list with @ in front @throws {PolicyError} if there is no such list */
export function listOf(
  reference: string,
  lists: NamedLists,
  path: string,
): readonly string[] | 'wallet' {
  if (reference === WALLET_LIST) return 'wallet'
  const list = lists.get(reference.slice(1))
  if (list) return list
  const known = [WALLET_LIST, ...[...lists.keys()].map((name) => `@${name}`)].join(', ')
  return refuse(path, `there is no list ${reference}; the lists are ${known}`)
}

/** Addresses that a rule names: fixed ones, and possibly the wallet itself. */
export type AddressSet = {
  has(address: string, wallet: string): boolean
  names(address: string): boolean
}

/** @throws {PolicyError} */
export function addressSet(
  entries: readonly string[],
  lists: NamedLists,
  path: string,
): AddressSet {
  const addresses = new Set<string>()
  let includesWallet = false
  for (const [index, entry] of entries.entries()) {
    const where = `${path}[${index}]`
    if (entries.indexOf(entry) !== index) refuse(where, `${entry} occurs twice; remove one`)
    if (!entry.startsWith('@')) addresses.add(entry)
    else {
      const list = listOf(entry, lists, where)
      if (list === 'wallet') includesWallet = true
      else for (const each of list) addresses.add(each)
    }
  }
  return {
    has: (address, wallet) => addresses.has(address) || (includesWallet && address === wallet),
    names: (address) => addresses.has(address),
  }
}
