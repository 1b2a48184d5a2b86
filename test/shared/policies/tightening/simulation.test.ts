/** `isTightening` against random policies, changes and requests. */
import { expect, it } from 'vitest'
import type { Charge } from '../../../../shared/policies/charges.ts'
import { evaluate } from '../../../../shared/policies/evaluate.ts'
import { isTightening } from '../../../../shared/policies/is-tightening.ts'
import type { PolicyContext } from '../../../../shared/policies/mismatch.ts'
import { type Policy, parsePolicy } from '../../../../shared/policies/policy.ts'
import { PolicyError } from '../../../../shared/policies/policy-error.ts'
import { boundsOr } from '../../../nightly/bounds.ts'
import { Random } from '../../../origin/credits/simulation/random.ts'
import { anyChange } from './any-change.ts'
import { anyPolicy, type Json } from './any-policy.ts'
import { anyContext, anyRequest } from './any-request.ts'

const { first, count } = boundsOr({ first: 1, count: 200 })
const CHANGES = 6
const REQUESTS = 80

it('never calls a change a tightening that allows more, or counts less', () => {
  let [tightenings, loosenings, allowed] = [0, 0, 0]
  for (let seed = first; seed < first + count; seed++) {
    const random = new Random(seed)
    const from = valid(() => anyPolicy(random))
    expect(isTightening(from, from), `seed ${seed}: a policy does not loosen itself`).toBe(true)
    for (let change = 0; change < CHANGES; change++) {
      const to = valid(() => anyChange(random, from.document))
      if (to.hash === from.hash) continue
      if (!isTightening(from, to)) {
        loosenings++
        continue
      }
      expect(delayOf(to), `seed ${seed}: the delay`).toBeGreaterThanOrEqual(delayOf(from))
      tightenings++
      for (let tried = 0; tried < REQUESTS; tried++) {
        const request = anyRequest(random, random.chance(0.5) ? from.document : to.document)
        const context = anyContext(random)
        const loosened = looseningOf(from, to, request, context)
        if (loosened === 'denied') continue
        allowed++
        const shown = { from: from.document, to: to.document, request, context }
        expect(loosened, `seed ${seed}: ${JSON.stringify(shown)}`).toBe(undefined)
      }
    }
  }
  // Otherwise, the generators have lost their power.
  if (count < 100) return
  expect(tightenings).toBeGreaterThan(count)
  expect(loosenings).toBeGreaterThan(count)
  expect(allowed).toBeGreaterThan(count * 10)
})

const delayOf = ({ document }: Policy) => document.change_delay_s ?? 0

/** Returns undefined if the change allows nothing new by this request. */
function looseningOf(
  from: Policy,
  to: Policy,
  request: Json,
  context: PolicyContext,
): string | undefined {
  const after = evaluate(to, request, context)
  if (after.decision === 'deny') return 'denied'
  const before = evaluate(from, request, context)
  if (before.decision === 'deny') return `was denied: ${before.code}`
  const uncovered = before.charges.find((charge) => !isCovered(charge, after.charges))
  return uncovered && `was counted by ${uncovered.key}`
}

const isCovered = (charge: Charge, charges: readonly Charge[]) =>
  charges.some(
    ({ key, amount, max, window_s }) =>
      key === charge.key &&
      amount >= charge.amount &&
      max <= charge.max &&
      window_s === charge.window_s,
  )

/** Returns the first of the documents that is valid. */
function valid(make: () => Json): Policy {
  for (let tries = 0; ; tries++)
    try {
      return parsePolicy(JSON.stringify(make()))
    } catch (error) {
      if (!(error instanceof PolicyError) || tries > 200) throw error
    }
}
