/** Only the admin wallet changes the account, by transactions to the contract. */
import type { AccountOperations } from '../core/account.ts'
import { coreCalls } from '../core/core-calls.ts'
import type { SovereignOptions, Step } from '../options.ts'
import type { Credential, Requester } from '../request.ts'
import type { Surroundings } from '../surroundings.ts'
import { withoutNullMembers } from '../../without-null-members.ts'
import { orAborted } from './aborted.ts'
import { AccountContract } from './account-contract.ts'
import { askWithProof } from './ask-with-proof.ts'
import { billingProof } from './billing-proof.ts'
import { deploymentOf } from './deployment.ts'
import { groupWrites } from './group-writes.ts'
import { Node } from './node.ts'
import { ownership, type Ownership } from './ownership.ts'
import { accountReads } from './reads.ts'
import { usageKeyWrites } from './usage-keys.ts'
import { untilSeen } from './until-seen.ts'
import { walletOf } from './wallet-of.ts'
import { createWallet } from './wallets.ts'

export type SovereignAccount = {
  account: AccountOperations & Ownership
  /** Retries a request until the service has seen the wallet's last transaction. */
  patient: Requester
  /** A proof of the wallet, which is cached for four minutes. */
  billing: () => Promise<Credential>
}

export type SovereignParts = Surroundings &
  Pick<SovereignOptions, 'signer' | 'onStep' | 'contractAddress'> & {
    requester: Requester
    signal: AbortSignal | undefined
    /**
     * Awaited before the client uses the contract address from the origin, and before it sends a proof to the origin.
     */
    verified: (signal: AbortSignal | undefined) => Promise<void>
  }

/** @throws {NoWallet} if the signer is not a wallet */
export function sovereignAccount(parts: SovereignParts): SovereignAccount {
  const { requester, signer, signal, now, sleep, verified } = parts
  const wallet = walletOf(signer)
  const deployment = deploymentOf({ requester, verified, pinned: parts.contractAddress })
  const onStep = quietly(parts.onStep)
  const node = new Node(wallet, sleep)
  const contract = new AccountContract({ wallet, node, deployment, onStep, signal, now, sleep })
  const lastWriteAt = () => contract.lastWriteAt
  const proof = billingProof({
    wallet,
    deployment,
    now,
    onSign: (what) => onStep({ step: 'sign', what }),
  })
  const patient = proof.forgottenWhereRefused(
    untilSeen(requester, { now, sleep, onStep, lastWriteAt, isAdmin: () => contract.isOfWallet() }),
  )
  const billing = () => orAborted(proof.credential(), signal)
  const ask = askWithProof({ patient, verified, wallet, deployment, now, onStep, signal })
  const keys = { contract, requester: patient, askWithProof: ask, billing, onStep, now, sleep }
  return {
    account: acceptingNulls({
      ...accountReads(contract, coreCalls(patient, billing)),
      ...groupWrites(contract),
      ...usageKeyWrites(keys),
      ...ownership(contract, deployment),
      createWallet: createWallet(contract, ask),
    }),
    patient,
    billing,
  }
}

/** Null fields in the first argument are treated as absent, as in API mode. */
function acceptingNulls<Operations extends object>(operations: Operations): Operations {
  const accepting = Object.entries(operations).map(([name, operation]) => [
    name,
    typeof operation !== 'function'
      ? operation
      : (fields: unknown, ...others: unknown[]) => operation(withoutNullMembers(fields), ...others),
  ])
  return Object.fromEntries(accepting)
}

/** Ignores errors of the listener, because they must not abort a write that has already been paid for. */
function quietly(listener: ((step: Step) => void) | undefined): (step: Step) => void {
  return (step) => {
    try {
      listener?.(step)
    } catch {
      // Errors of the listener are deliberately ignored.
    }
  }
}
