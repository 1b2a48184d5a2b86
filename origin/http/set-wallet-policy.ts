import type { z } from 'zod'
import { addressOfPkp } from '../../shared/wire/fields.ts'
import {
  setWalletPolicyRequest,
  setWalletPolicyResponse,
} from '../../shared/wire/wallet-policies.ts'
import { receiptEvent } from '../accounts/receipt-event.ts'
import { prepareChange } from '../policies/change.ts'
import { rfc3339Seconds } from '../rfc3339.ts'
import type { Operation } from './operation.ts'
import { POLICY_BODY, toPolicyText } from './policy-text.ts'

const schema = setWalletPolicyRequest.extend({
  policy: setWalletPolicyRequest.shape.policy.transform(toPolicyText),
})

/** Stores the document, and then records its hash in the contract. */
export const setWalletPolicyOperation: Operation<z.infer<typeof schema>> = {
  method: 'POST',
  path: '/core/v1/set_wallet_policy',
  summary:
    'Replaces the policy of a wallet. A change that does not only tighten the policy takes effect after the delay of the policy that holds.',
  auth: 'account_key',
  writes: 'setWalletPolicy',
  body: { ...POLICY_BODY, schema },
  responseSchema: setWalletPolicyResponse,
  statuses: [403, 404, 409, 503],
  handle: async ({ principal, body, writeId, audit }, services) => {
    const { mirror, policyDocuments, writer } = services
    const set = async () => {
      const {
        pkp_id: pkpId,
        replaces,
        policy: { policy },
      } = body
      const change = await prepareChange(
        principal.account,
        { pkpId, replaces, policy },
        { documents: policyDocuments, chainTime: mirror.current().chainTime },
      )
      const { policyHash, changeDelay, isImmutable } = change.terms
      return writer.write(
        'setWalletPolicy',
        [
          principal.keyHash,
          pkpId,
          change.replaces,
          [policyHash, changeDelay, isImmutable],
          change.atOnce,
          '0x',
        ],
        { writeId, audit: audit() },
      )
    }
    // Joined first: once the change was made, preparing it again would fail, because another policy holds.
    const receipt = (await writer.join(writeId)) ?? (await set())
    const { pkpId, replaces, policyHash, setAt, effectiveAt } = receiptEvent(
      receipt,
      'WalletPolicySet',
    )
    const isPending = effectiveAt > setAt
    return {
      wallet_address: addressOfPkp(pkpId),
      pkp_id: pkpId,
      policy_hash: isPending ? replaces : policyHash,
      pending: isPending
        ? { policy_hash: policyHash, effective_at: rfc3339Seconds(effectiveAt) }
        : null,
    }
  },
}
