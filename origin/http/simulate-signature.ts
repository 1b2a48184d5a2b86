import type { z } from 'zod'
import { ApiError } from '../../shared/errors/api-error.ts'
import { duplicateMember } from '../../shared/json/duplicate-member.ts'
import { addressOfPkp } from '../../shared/wire/fields.ts'
import {
  simulateSignatureRequest,
  simulateSignatureResponse,
} from '../../shared/wire/wallet-policies.ts'
import { isOwner } from '../accounts/rights.ts'
import { LimitExceededError } from '../admission/call-rate.ts'
import { readHeldPolicy } from '../policies/held-policy.ts'
import { simulateSignature } from '../policies/simulate-signature.ts'
import { rfc3339 } from '../rfc3339.ts'
import { toJsonText } from './json/json-text.ts'
import type { Operation } from './operation.ts'
import { POLICY_BODY, toPolicyText } from './policy-text.ts'

const { request, policy: whatIf } = simulateSignatureRequest.shape

const schema = simulateSignatureRequest.extend({
  request: request.transform(toJsonText),
  policy: whatIf.transform((given) => given && toPolicyText(given)),
})

export const simulateSignatureOperation: Operation<z.infer<typeof schema>> = {
  method: 'POST',
  path: '/core/v1/simulate_signature',
  summary:
    'Decides whether the policy of a wallet allows a signature, and explains the decision. Nothing is signed and nothing is counted. Free of charge.',
  auth: 'key',
  walletAuth: true,
  body: { ...POLICY_BODY, schema, texts: ['request', ...POLICY_BODY.texts] },
  responseSchema: simulateSignatureResponse,
  statuses: [404, 409, 503],
  handle: async (
    { principal, body },
    { mirror, now, policyDocuments, policySums, simulations },
  ) => {
    const { account } = principal
    const refused = simulations.take(account.hash, isOwner(principal) ? 'owner' : 'usage key')
    if (refused)
      throw new LimitExceededError(
        `this account has simulated ${refused.count} signatures within a minute`,
        refused.retryAfterMs,
      )
    const { pkp_id: pkpId, action_ipfs_cid: action = null } = body
    const held = readHeldPolicy(account, pkpId, mirror.current().chainTime)
    const policy = body.policy?.policy ?? (await policyDocuments.load(held.hash))
    const { decision, code, rule, explanation, sums } = await simulateSignature(
      { policy, policySetAt: held.setAt, pkpId, request: parseRequest(body.request.text) },
      { wallet: addressOfPkp(pkpId), action, now: now() },
      policySums,
    )
    return {
      decision,
      ...(code !== undefined && { code }),
      ...(rule !== undefined && { rule }),
      policy_hash: policy.hash,
      explanation,
      sums: sums.map(({ charge: { sum, key, amount, max, window_s }, remaining, availableAt }) => ({
        sum,
        key,
        added: String(amount),
        remaining: String(remaining),
        max: String(max),
        window_s,
        ...(availableAt !== undefined && { available_at: rfc3339(new Date(availableAt)) }),
      })),
    }
  },
}

function parseRequest(text: string): unknown {
  const twice = duplicateMember(text)
  if (twice === undefined) return JSON.parse(text)
  throw new ApiError(
    400,
    `request.${twice}: the member occurs twice`,
    'Remove one of the two members.',
  )
}
