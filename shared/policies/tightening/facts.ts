/** Facts about the requests that match a rule. */
import { groupBy } from '../../group-by.ts'
import { isBinary } from '../message-rule.ts'
import { messageOf } from '../request.ts'
import { ANYTHING, type Choice, isWithin, meet, WALLET } from './choice.ts'
import type { Work } from './work.ts'

/** A fact about the value at a place: a part of the request or of its context, or an argument of its call. */
export type Fact =
  | { place: string; kind: 'in'; choice: Choice }
  | SimpleFact
  /** The array is not empty, and every element, or some element, fulfills the facts. */
  | { place: string; kind: 'every' | 'some'; facts: readonly Fact[] }

type SimpleFact =
  | { place: string; kind: 'lte' | 'gte'; bound: bigint }
  | { place: string; kind: 'prefix'; prefix: string }
  /** The message is accepted by a rule without the flag `binary`. */
  | { place: string; kind: 'text'; isAny: boolean }

/** Returns true only if `facts` imply `fact`. */
export function isImplied(fact: Fact, facts: readonly Fact[], work: Work): boolean {
  const same = facts.filter(({ place }) => place === fact.place)
  work.spend(facts.length)
  switch (fact.kind) {
    case 'in':
      return (
        // Choices are also compared one by one, because the intersection can be too large if it contains the wallet.
        same.some((known) => known.kind === 'in' && isWithin(known.choice, fact.choice, work)) ||
        isWithin(choiceOf(same, work), fact.choice, work)
      )
    case 'lte':
    case 'gte':
    case 'prefix':
    case 'text':
      return same.some((known) => isSimplyImplied(fact, known, work))
    case 'every':
      return same.some(
        (known) => known.kind === 'every' && areImplied(fact.facts, known.facts, work),
      )
    case 'some':
      return same.some(
        (known) =>
          (known.kind === 'some' || known.kind === 'every') &&
          areImplied(fact.facts, known.facts, work),
      )
  }
}

export const areImplied = (wanted: readonly Fact[], facts: readonly Fact[], work: Work) =>
  wanted.every((fact) => isImplied(fact, facts, work))

function isSimplyImplied(fact: SimpleFact, known: Fact, work: Work): boolean {
  if (known.kind === 'in') {
    if ('except' in known.choice) return false
    work.spend(known.choice.only.size)
    return [...known.choice.only].every((value) => holds(fact, value))
  }
  switch (fact.kind) {
    case 'lte':
      return known.kind === 'lte' && known.bound <= fact.bound
    case 'gte':
      return known.kind === 'gte' && known.bound >= fact.bound
    case 'prefix':
      return known.kind === 'prefix' && known.prefix.startsWith(fact.prefix)
    case 'text':
      return known.kind === 'text' && (known.isAny || !fact.isAny)
  }
}

const isSimple = (fact: Fact): fact is SimpleFact =>
  fact.kind !== 'in' && fact.kind !== 'every' && fact.kind !== 'some'

function holds(fact: SimpleFact, value: unknown): boolean {
  switch (fact.kind) {
    case 'lte':
      return typeof value === 'bigint' && value <= fact.bound
    case 'gte':
      return typeof value === 'bigint' && value >= fact.bound
    case 'prefix':
      return typeof value === 'string' && value.startsWith(fact.prefix)
    case 'text':
      return typeof value === 'string' && !isBinary(messageOf(value), fact.isAny)
  }
}

/** Returns true only if no request fulfills all facts. */
export function isContradiction(facts: readonly Fact[], work: Work): boolean {
  const places = groupBy(facts, ({ place }) => place)
  return [...places.values()].some((same) => isContradictionAtPlace(same, work))
}

function isContradictionAtPlace(same: readonly Fact[], work: Work): boolean {
  work.spend(same.length ** 2)
  const choice = choiceOf(same, work)
  if ('only' in choice) {
    const possible = [...choice.only].filter(
      (value) => value === WALLET || same.filter(isSimple).every((fact) => holds(fact, value)),
    )
    if (possible.length === 0) return true
  }
  return same.some((one, at) => same.slice(at + 1).some((other) => exclude(one, other, work)))
}

function exclude(one: Fact, other: Fact, work: Work): boolean {
  if (one.kind === 'lte' && other.kind === 'gte') return one.bound < other.bound
  if (one.kind === 'gte' && other.kind === 'lte') return one.bound > other.bound
  if (one.kind === 'prefix' && other.kind === 'prefix')
    return !one.prefix.startsWith(other.prefix) && !other.prefix.startsWith(one.prefix)
  const areArrays =
    (one.kind === 'every' && (other.kind === 'every' || other.kind === 'some')) ||
    (one.kind === 'some' && other.kind === 'every')
  return areArrays && isContradiction([...one.facts, ...other.facts], work)
}

function choiceOf(same: readonly Fact[], work: Work): Choice {
  let choice = ANYTHING
  for (const fact of same) if (fact.kind === 'in') choice = meet(choice, fact.choice, work)
  return choice
}
