/** Attempts to get a request past a policy that allows something similar. */
import { TypedDataEncoder } from 'ethers'
import { digestOf } from '../../../origin/signing/digest.ts'
import type { DenialCode } from '../../../shared/policies/denial.ts'
import type { PolicyContext } from '../../../shared/policies/mismatch.ts'
import type { Policy } from '../../../shared/policies/policy.ts'
import { describe, expect, it } from 'vitest'
import { decide, verdict } from './requests.ts'

type Attack = [name: string, request: unknown, code: DenialCode, context?: Partial<PolicyContext>]
type Legitimate = [name: string, request: unknown, context?: Partial<PolicyContext>]

/** A policy, the requests that it allows, and similar requests that it must deny. */
export type Family = { policy: Policy; allowed: Legitimate[]; attacks: Attack[] }

export function testFamilies(families: Record<string, Family>): void {
  describe.each(Object.entries(families))('%s', (_, { policy, allowed, attacks }) => {
    it.each(allowed)('allows %s', (_name, request, context) => {
      const decision = decide(policy, request, context)
      expect(verdict(decision), decision.explanation.join(' ')).toBe('allow')
    })

    it.each(attacks)('denies %s', (_name, request, code, context) => {
      expect(verdict(decide(policy, request, context))).toBe(code)
    })
  })
}

/** Tests that the allowed typed data has the type and the digest that the library signs. */
export function testSignable(families: Record<string, Family>): void {
  const requests = Object.values(families).flatMap(({ policy, allowed }) =>
    allowed.map(([name, request]) => [name, policy, request as any] as const),
  )
  it.each(requests)(
    'has the type and the digest that the library signs: %s',
    (_name, policy, request) => {
      const decision = decide(policy, request)
      if (decision.decision === 'deny' || decision.request.kind !== 'typed_data')
        throw new Error('not allowed')
      const { EIP712Domain: _domain, ...types } = request.types
      const encoder = TypedDataEncoder.from(types)
      expect(decision.request.typedData.type.encodedType).toBe(
        encoder.encodeType(encoder.primaryType),
      )
      expect(digestOf(decision.request)).toBe(
        TypedDataEncoder.hash(request.domain, types, request.value),
      )
    },
  )
}
