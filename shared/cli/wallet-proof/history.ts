/** Reconstructs the policies of a wallet from the contract's events. */
import type { ChainFacts, PolicyEvent } from './bundle.ts'
import { prove } from './proof-error.ts'

const NO_POLICY = `0x${'00'.repeat(32)}`

type Terms = Pick<PolicyEvent, 'policy_hash' | 'change_delay_s' | 'is_immutable'>

/** A policy, and the period in which it held. Times are block timestamps in Unix seconds. */
export type HeldPolicy = Terms & {
  from: number
  /** Undefined for the policy that still holds. */
  until: number | undefined
}

export type PolicyHistory = {
  /** Oldest first. */
  held: readonly HeldPolicy[]
  pending: (Terms & { effective_at: number }) | undefined
  /** Changes that did not wait for the delay of the policy that they replaced. */
  atOnce: readonly { from: string; to: string }[]
}

/**
 * Replays the events by the rules of `PolicyFacet.sol`. Each event names the policy that it replaces, so a missing or
 * additional event is detected, except for the last event and for pending changes that were canceled.
 * @throws {ProofRefusedError}
 */
export function policyHistory({
  events,
  block,
}: Pick<ChainFacts, 'events' | 'block'>): PolicyHistory {
  const [first, ...changes] = events
  prove(first !== undefined, 'not_registered', 'no event says that the wallet has a policy')
  prove(
    first.replaces === NO_POLICY && first.effective_at <= first.set_at,
    'not_registered',
    'the first event is not the registration of the wallet under a policy',
  )
  for (const [index, event] of changes.entries()) requireOrder(events[index]!, event)
  const replay = new Replay(first)
  for (const event of changes) replay.apply(event)
  const last = events.at(-1)!
  prove(
    last.block_number <= block.number && last.set_at <= block.timestamp,
    'after_the_block',
    `the last event is newer than the block ${block.number} that the facts are of`,
  )
  return replay.at(block.timestamp)
}

function requireOrder(before: PolicyEvent, event: PolicyEvent): void {
  const isLater =
    event.block_number > before.block_number ||
    (event.block_number === before.block_number && event.log_index > before.log_index)
  prove(
    isLater && event.set_at >= before.set_at,
    'not_in_order',
    `the event in block ${event.block_number} is listed after one in block ${before.block_number}, but is not later`,
  )
}

class Replay {
  readonly #former: HeldPolicy[] = []
  readonly #atOnce: { from: string; to: string }[] = []
  #holding: Terms & { from: number }
  #pending: (Terms & { effective_at: number }) | undefined

  constructor(registration: PolicyEvent) {
    this.#holding = { ...termsOf(registration), from: registration.set_at }
  }

  apply(event: PolicyEvent): void {
    const { replaces, set_at, effective_at, policy_hash } = event
    this.#promote(set_at)
    const { policy_hash: hash, change_delay_s: delay, is_immutable } = this.#holding
    prove(!is_immutable, 'immutable_changed', `the policy ${hash} is immutable, but was replaced`)
    prove(
      replaces === hash,
      'history_gap',
      `an event replaces the policy ${replaces}, but ${hash} held at that time`,
    )
    const isAtOnce = effective_at <= set_at
    prove(
      isAtOnce || effective_at === set_at + delay,
      'wrong_delay',
      `a change of the policy ${hash} takes effect after ${effective_at - set_at} seconds instead of ${delay}`,
    )
    if (!isAtOnce) {
      this.#pending = { ...termsOf(event), effective_at }
      return
    }
    this.#pending = undefined
    if (policy_hash === hash) return
    if (delay > 0) this.#atOnce.push({ from: hash, to: policy_hash })
    this.#hold(termsOf(event), set_at)
  }

  at(time: number): PolicyHistory {
    this.#promote(time)
    const held = [...this.#former, { ...this.#holding, until: undefined }]
    return { held, pending: this.#pending, atOnce: this.#atOnce }
  }

  #promote(time: number): void {
    if (!this.#pending || this.#pending.effective_at > time) return
    const { effective_at, ...terms } = this.#pending
    this.#pending = undefined
    this.#hold(terms, effective_at)
  }

  #hold(terms: Terms, from: number): void {
    this.#former.push({ ...this.#holding, until: from })
    this.#holding = { ...terms, from }
  }
}

const termsOf = ({ policy_hash, change_delay_s, is_immutable }: Terms): Terms => ({
  policy_hash,
  change_delay_s,
  is_immutable,
})
