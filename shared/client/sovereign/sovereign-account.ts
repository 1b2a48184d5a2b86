import type { AccountOperations } from '../core/account.ts'
import { type CoreCalls, coreCalls } from '../core/core-calls.ts'
import type { SovereignOptions, Step } from '../options.ts'
import type { Credential, Requester } from '../request.ts'
import type { RuntimeEnvironment } from '../runtime-environment.ts'
import { withoutNullMembers } from '../../json/without-null-members.ts'
import { abortable } from '../abortable.ts'
import { AccountContract } from './account-contract.ts'
import { sendWithProof } from './send-with-proof.ts'
import { cachedProof } from './cached-proof.ts'
import { deploymentOf } from './deployment.ts'
import { groupWrites } from './group-writes.ts'
import { WalletNode } from './wallet-node.ts'
import { ownership, type Ownership } from './ownership.ts'
import { accountReads } from './reads.ts'
import { usageKeyWrites } from './usage-keys.ts'
import { retryUntilSeen } from './retry-until-seen.ts'
import { walletOf } from './wallet-of.ts'
import { walletPolicies } from './wallet-policies.ts'
import { createWallet } from './wallets.ts'

type SovereignAccount = {
  account: AccountOperations & Ownership
  /** Requester that retries a request until the service has seen the wallet's last transaction. */
  retryingRequester: Requester
  /** Returns a billing proof of the wallet, which is cached for four minutes. */
  billing: () => Promise<Credential>
  /** Calls that send or change transactions, authorized by another proof of the wallet. */
  sending: CoreCalls
}

type SovereignParts = RuntimeEnvironment &
  Pick<SovereignOptions, 'signer' | 'onStep' | 'contractAddress'> & {
    requester: Requester
    signal: AbortSignal | undefined
    /**
     * Verifies the origin. Awaited before the client uses the contract address from the origin, and before it sends a
     * proof to the origin.
     */
    verified: (signal: AbortSignal | undefined) => Promise<void>
  }

export function sovereignAccount(parts: SovereignParts): SovereignAccount {
  const { requester, signer, signal, now, sleep, verified } = parts
  const wallet = walletOf(signer)
  const deployment = deploymentOf({ requester, verified, pinned: parts.contractAddress })
  const onStep = quietly(parts.onStep)
  const common = { wallet, deployment, onStep, signal, now, sleep }
  const contract = new AccountContract({ ...common, node: new WalletNode(wallet, sleep) })
  const proofOf = (purpose: 'BillingAuth' | 'SendTransactions', what: string) =>
    cachedProof({ ...common, purpose, onSign: () => onStep({ step: 'sign', what }) })
  const proof = proofOf('BillingAuth', 'a proof for billing')
  const sendingProof = proofOf('SendTransactions', 'a proof for transactions')
  const patient = retryUntilSeen(requester, {
    ...common,
    lastWriteAt: () => contract.lastWriteAt,
    isAdmin: () => contract.isWalletAdmin(),
  })
  const retryingRequester = proof.evictingRejected(patient)
  const billing = () => abortable(proof.credential(), signal)
  const send = sendWithProof({ ...common, requester: retryingRequester, verified })
  const calls = coreCalls(retryingRequester, billing)
  const keys = { ...common, contract, requester: retryingRequester, askWithProof: send, billing }
  return {
    account: omittingNulls({
      ...accountReads(contract, calls),
      ...groupWrites(contract),
      ...usageKeyWrites(keys),
      ...ownership(contract, deployment),
      createWallet: createWallet(contract, send),
      ...walletPolicies({ ...common, contract, askWithProof: send, calls }),
    }),
    retryingRequester,
    billing,
    sending: coreCalls(sendingProof.evictingRejected(patient), () =>
      abortable(sendingProof.credential(), signal),
    ),
  }
}

/** Wraps the operations so that null fields in the first argument are treated as absent, as in API mode. */
function omittingNulls<Operations extends object>(operations: Operations): Operations {
  const accepting = Object.entries(operations).map(([name, operation]) => [
    name,
    typeof operation !== 'function'
      ? operation
      : (fields: unknown, ...others: unknown[]) => operation(withoutNullMembers(fields), ...others),
  ])
  return Object.fromEntries(accepting)
}

/**
 * Wraps the listener so that its errors are ignored. Such an error must not abort a write that has already been paid
 * for.
 */
function quietly(listener: ((step: Step) => void) | undefined): (step: Step) => void {
  return (step) => {
    try {
      listener?.(step)
    } catch {
      // Errors of the listener are deliberately ignored.
    }
  }
}
