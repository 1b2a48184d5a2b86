import type { AccountOperations, HeldWalletPolicy, SimulatedSignature } from '../core/account.ts'
import type { CoreCalls } from '../core/core-calls.ts'
import { NotTheApi } from '../failures/transport-errors.ts'
import type { RuntimeEnvironment } from '../runtime-environment.ts'
import type { AccountContract } from './account-contract.ts'
import { pkpIdOf } from './arguments.ts'
import { loadContractCodec } from './contract-codec.ts'
import { contractTerms, type PolicyTerms, policyTermsOf, requireSameTerms } from './policy-terms.ts'
import { POLL_INTERVAL_MS, SEEN_WITHIN_MS } from './retry-until-seen.ts'
import type { SendWithProof } from './send-with-proof.ts'
import { TransactionReverted } from './transaction-failures.ts'

type Parts = Pick<RuntimeEnvironment, 'sleep'> & {
  contract: AccountContract
  askWithProof: SendWithProof
  /** Calls authorized by the wallet's proof. */
  calls: CoreCalls
}

type PolicyStatement = PolicyTerms & { at_once: boolean; attestation: string }

/** Operations on policies. The contract stores only hashes; the service stores the documents and the sums. */
export function walletPolicies({ contract, askWithProof, calls, sleep }: Parts) {
  return {
    setWalletPolicy: async ({ pkp_id: named, policy, replaces: expected }, options) => {
      const pkp_id = pkpIdOf('pkp_id', named)
      const terms = await policyTermsOf(policy)
      const { policy_hash } = terms
      const coding = await loadContractCodec()
      const wallet_address = coding.address(`0x${pkp_id.slice(-40)}`)
      const what = `set the policy ${policy_hash} of wallet ${wallet_address}`
      // Checked first, so that the wallet is not asked to sign a change that the contract would reject.
      const held = await contract.policy(pkp_id, options)
      const replaces = expected?.toLowerCase() ?? held.policyHash
      if (replaces !== held.policyHash)
        throw new TransactionReverted(what, {
          errorName: 'PolicyChanged',
          args: [pkp_id, held.policyHash],
        })
      if (held.isImmutable)
        throw new TransactionReverted(what, { errorName: 'PolicyIsImmutable', args: [pkp_id] })
      const stated = await askWithProof<PolicyStatement>(
        { purpose: 'SetWalletPolicy', terms: { pkpId: pkp_id, policyHash: policy_hash } },
        'set_wallet_policy_with_signature',
        { pkp_id, policy, replaces },
        options,
      )
      requireSameTerms(stated, terms)
      // The contract rejects a false `at_once`, because the service's statement covers it.
      const { at_once, attestation } = stated
      const args = [pkp_id, replaces, contractTerms(terms), at_once, attestation]
      const mined = await contract.write(what, 'setWalletPolicy', args, options)
      const change = await contract.policyChange(mined)
      const isPending = change.effectiveAt > change.setAt
      return {
        wallet_address,
        pkp_id,
        policy_hash: isPending ? change.replaces : policy_hash,
        pending: isPending ? { policy_hash, effective_at: timeOf(change.effectiveAt) } : null,
      }
    },

    // Accepts the response only if the contract records the same policies and the documents have their hashes. Polls,
    // because the service may not have seen the block of the last change yet.
    getWalletPolicy: async ({ pkp_id: named }, options) => {
      const pkp_id = pkpIdOf('pkp_id', named)
      for (let waitMs = POLL_INTERVAL_MS; ; waitMs *= 2) {
        const { policyHash, pending } = await contract.policy(pkp_id, options)
        const held = await calls.read<HeldWalletPolicy>('get_wallet_policy', { pkp_id }, options)
        const isSame =
          held.policy_hash === policyHash && held.pending?.policy_hash === pending?.policyHash
        if (isSame) {
          await requireDocument(held.policy, policyHash)
          if (held.pending) await requireDocument(held.pending.policy, held.pending.policy_hash)
          return held
        }
        if (2 * waitMs > SEEN_WITHIN_MS)
          throw new NotTheApi('its policies are not those in the contract', 200, undefined)
        await sleep(waitMs, options?.signal)
      }
    },

    simulateSignature: (fields, options) =>
      calls.ask<SimulatedSignature>('simulate_signature', fields, options),
  } satisfies Partial<AccountOperations>
}

async function requireDocument(policy: object, hash: string): Promise<void> {
  const { policy_hash } = await policyTermsOf(policy)
  if (policy_hash !== hash) throw new NotTheApi('its policy does not have its hash', 200, undefined)
}

/** RFC 3339, as in the responses of the API. */
const timeOf = (seconds: number) => new Date(seconds * 1000).toISOString().replace('.000Z', 'Z')
