import type { z } from 'zod'
import { addressOfPkp } from '../../shared/wire/fields.ts'
import { getWalletPolicyQuery, getWalletPolicyResponse } from '../../shared/wire/wallet-policies.ts'
import { readHeldPolicy } from '../policies/held-policy.ts'
import { usedSums } from '../policies/used-sums.ts'
import { rfc3339Seconds } from '../rfc3339.ts'
import type { Operation } from './operation.ts'

export const getWalletPolicyOperation: Operation<
  undefined,
  z.infer<typeof getWalletPolicyQuery>
> = {
  method: 'GET',
  path: '/core/v1/get_wallet_policy',
  summary: 'Returns the policy of a wallet, its pending change, and what remains of its sums.',
  auth: 'key',
  walletAuth: true,
  query: getWalletPolicyQuery,
  responseSchema: getWalletPolicyResponse,
  statuses: [404, 409, 503],
  handle: async (
    { principal, query: { pkp_id: pkpId } },
    { mirror, now, policyDocuments, policySums },
  ) => {
    const held = readHeldPolicy(principal.account, pkpId, mirror.current().chainTime)
    const policy = await policyDocuments.load(held.hash)
    const { pending } = held
    const used = usedSums(policy, await policySums.read(pkpId), now())
    return {
      wallet_address: addressOfPkp(pkpId),
      pkp_id: pkpId,
      policy_hash: held.hash,
      policy: policy.document,
      set_at: rfc3339Seconds(held.setAt),
      pending: pending
        ? {
            policy_hash: pending.hash,
            policy: (await policyDocuments.load(pending.hash)).document,
            effective_at: rfc3339Seconds(pending.effectiveAt),
          }
        : null,
      sums: used.map(({ definition: { name, max, window_s }, key, remaining }) => ({
        sum: name,
        key,
        remaining: String(remaining),
        max,
        window_s,
      })),
    }
  },
}
