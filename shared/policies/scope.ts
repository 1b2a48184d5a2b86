import type { PolicyDocument, SumDefinition, TokenDefinition } from './document.ts'
import { type NamedLists, namedLists } from './named-lists.ts'
import { refuse } from './policy-error.ts'

/** What rules refer to by name. */
export type Scope = {
  lists: NamedLists
  sums: ReadonlyMap<string, SumDefinition>
  tokens: ReadonlyMap<string, TokenDefinition>
  /** @param address lower-case address of the token */
  tokenAt(this: void, chain: bigint, address: string): TokenDefinition | undefined
}

/** @throws {PolicyError} if two objects have the same name, or a sum refers to a token that does not exist */
export function scopeOf(document: PolicyDocument): Scope {
  const tokens = named('tokens', document.tokens ?? [])
  const sums = named('sums', document.sums ?? [])
  const byPlace = new Map<string, TokenDefinition>()
  for (const [index, token] of (document.tokens ?? []).entries()) {
    const place = `${token.chain}/${token.address}`
    if (byPlace.has(place)) refuse(`tokens[${index}]`, 'the token occurs twice; remove one of them')
    byPlace.set(place, token)
  }
  for (const [index, sum] of (document.sums ?? []).entries())
    requireTokens(sum, tokens, `sums[${index}]`)
  return {
    lists: namedLists(document),
    sums,
    tokens,
    tokenAt: (chain, address) => byPlace.get(`${chain}/${address}`),
  }
}

function requireTokens(
  { of, tokens: names, per_recipient }: SumDefinition,
  tokens: ReadonlyMap<string, TokenDefinition>,
  path: string,
): void {
  if ((of === 'tokens') !== (names !== undefined))
    refuse(`${path}.tokens`, 'a sum of tokens names them, and no other sum does')
  if (of === 'signatures' && per_recipient)
    refuse(`${path}.per_recipient`, 'signatures have no recipient; remove the member')
  for (const [index, name] of (names ?? []).entries()) {
    if (!tokens.has(name))
      refuse(`${path}.tokens[${index}]`, `there is no token ${name}; add it to tokens`)
    if (names!.indexOf(name) !== index)
      refuse(`${path}.tokens[${index}]`, `${name} occurs twice; remove one`)
  }
}

function named<Item extends { name: string }>(
  path: string,
  items: readonly Item[],
): Map<string, Item> {
  const found = new Map<string, Item>()
  for (const [index, item] of items.entries()) {
    if (found.has(item.name))
      refuse(`${path}[${index}].name`, `the name ${item.name} is taken; choose another`)
    found.set(item.name, item)
  }
  return found
}
