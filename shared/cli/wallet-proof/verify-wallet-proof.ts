import {
  type Policy as EvidencePolicy,
  RULES_FOR_KEYS,
  type Verdict,
} from '../../attestation/policy.ts'
import type { Report } from '../../attestation/report.ts'
import { EvidenceRejectedError, requireVerified } from '../../attestation/require-verified.ts'
import { verifyBundle } from '../../attestation/verify.ts'
import { importReceiptKey } from '../../client/verification/receipt-key.ts'
import { InvalidJwsError } from '../../crypto/jws.ts'
import type { Policy } from '../../policies/policy.ts'
import type { ReceiptKey } from '../../receipts/receipt.ts'
import { readWalletStatement, type WalletStatement } from '../../receipts/wallet-statement.ts'
import type { ChainFacts, RecordedPolicy, WalletProof } from './bundle.ts'
import { readDocuments } from './documents.ts'
import { type PolicyHistory, policyHistory } from './history.ts'
import { ProofRefusedError, prove } from './proof-error.ts'
import { type ProvenSignature, readReceipts } from './receipts.ts'

/** Verified facts about a wallet. */
export type ProvenWallet = {
  /** SIMULATED if software simulates the machine. */
  verdict: Exclude<Verdict, 'FAILED'>
  statement: WalletStatement
  /** The policy that held at the block. */
  policy: Policy
  history: PolicyHistory
  signatures: readonly ProvenSignature[]
  appId: string
  /** Sentences that state what the proof does not show. */
  open: readonly string[]
}

export type ProofOptions = {
  /** Lower-case address of the wallet. */
  wallet: string
  evidencePolicy: EvidencePolicy
  /** Time at which the evidence must be valid. */
  at: Date
}

/**
 * Verifies without the network that the key of a wallet is under a policy. The quote identifies the application and its
 * receipt key. The statement, which is signed with this key, says how the wallet's key is derived and which contract
 * records the policy. The contract's events show which policy holds, and the document shows what it allows.
 * @throws {ProofRefusedError}
 */
export async function verifyWalletProof(
  proof: WalletProof,
  { wallet, evidencePolicy, at }: ProofOptions,
): Promise<ProvenWallet> {
  const report = await verifiedEvidence(proof, evidencePolicy, at)
  const key = await importReceiptKey(report.keys!.receipt)
  const statement = await verifiedStatement(proof, key, wallet, report.composeHash!)
  requireSameContract(proof.chain, statement)
  const history = policyHistory(proof.chain)
  requireRecord(proof.chain.record, history, statement.pkp_id)
  requireLock(statement, history)
  const policies = readDocuments(proof.documents, history)
  const signatures = await readReceipts(proof.receipts, key, {
    address: wallet,
    accountHash: statement.account_hash,
    history,
    policies,
  })
  return {
    verdict: report.verdict === 'HARDWARE' ? 'HARDWARE' : 'SIMULATED',
    statement,
    policy: policies.get(history.held.at(-1)!.policy_hash)!,
    history,
    signatures,
    appId: report.appId!,
    open: openQuestions(proof, { report, history, signatures, documents: policies.size }),
  }
}

async function verifiedEvidence(
  { evidence }: WalletProof,
  policy: EvidencePolicy,
  at: Date,
): Promise<Report> {
  const report = await verifyBundle(evidence, policy, at)
  try {
    requireVerified(report, RULES_FOR_KEYS)
  } catch (error) {
    if (!(error instanceof EvidenceRejectedError)) throw error
    throw new ProofRefusedError('evidence', error.message, { cause: error })
  }
  return report
}

async function verifiedStatement(
  proof: WalletProof,
  key: ReceiptKey,
  wallet: string,
  composeHash: string,
): Promise<WalletStatement> {
  const statement = await readStatement(proof.statement, key)
  prove(
    statement.compose_hash === composeHash,
    'other_application',
    `the statement is by the application with the compose hash ${statement.compose_hash}, not ${composeHash}`,
  )
  const { wallet_address: stated, pkp_id, derivation } = statement
  prove(
    [stated.toLowerCase(), proof.wallet, addressIn(pkp_id)].every((each) => each === wallet),
    'other_wallet',
    `the statement and the bundle are about the wallets ${stated} and ${proof.wallet}`,
  )
  prove(
    derivation === 'policy',
    'exportable',
    'the key of the wallet is not derived for policies: actions can get it, whatever a policy says',
  )
  return statement
}

async function readStatement(text: string, key: ReceiptKey): Promise<WalletStatement> {
  try {
    return await readWalletStatement(text, key)
  } catch (error) {
    if (!(error instanceof InvalidJwsError)) throw error
    throw new ProofRefusedError('statement', `the origin’s statement is invalid: ${error.message}`)
  }
}

/** A wallet ID is the address, left-padded with zeros. */
const addressIn = (pkpId: string) =>
  /^0x0{24}/.test(pkpId) ? `0x${pkpId.slice(-40)}` : 'no address'

function requireSameContract(
  { chain_id, contract, events }: ChainFacts,
  statement: WalletStatement,
) {
  prove(
    chain_id === statement.chain_id,
    'other_chain',
    `the facts are of the chain ${chain_id}, but the origin uses ${statement.chain_id}`,
  )
  for (const address of [contract, ...events.map((event) => event.contract)])
    prove(
      address === statement.contract.toLowerCase(),
      'other_contract',
      `the facts are of the contract ${address}, but the origin uses ${statement.contract}`,
    )
  for (const { account_hash, pkp_id } of events) {
    prove(
      account_hash === statement.account_hash,
      'other_account',
      `an event is about the account ${account_hash}, but the wallet belongs to ${statement.account_hash}`,
    )
    prove(pkp_id === statement.pkp_id, 'other_wallet', `an event is about the wallet ${pkp_id}`)
  }
}

function requireRecord(record: RecordedPolicy, { held, pending }: PolicyHistory, pkpId: string) {
  const holding = held.at(-1)!
  prove(record.pkp_id === pkpId, 'other_wallet', `the record is about the wallet ${record.pkp_id}`)
  prove(
    areSameTerms(record, holding) &&
      record.pending?.effective_at === pending?.effective_at &&
      (!record.pending || areSameTerms(record.pending, pending!)),
    'not_the_recorded_policy',
    `the contract records the policy ${record.policy_hash}${record.pending ? ` and the pending policy ${record.pending.policy_hash}` : ''}, but by its events ${holding.policy_hash} holds${pending ? ` and ${pending.policy_hash} is pending` : ''}`,
  )
}

type Terms = Pick<RecordedPolicy, 'policy_hash' | 'change_delay_s' | 'is_immutable'>

const areSameTerms = (one: Terms, other: Terms) =>
  one.policy_hash === other.policy_hash &&
  one.change_delay_s === other.change_delay_s &&
  one.is_immutable === other.is_immutable

function requireLock({ lock }: WalletStatement, { held }: PolicyHistory): void {
  if (lock === null) return
  prove(
    held.every(({ policy_hash, is_immutable }) => policy_hash === lock && is_immutable),
    'locked_to_another_policy',
    `the key exists only under the immutable policy ${lock}, which is not the one in the contract`,
  )
}

function openQuestions(
  { chain }: WalletProof,
  found: {
    report: Report
    history: PolicyHistory
    signatures: readonly ProvenSignature[]
    documents: number
  },
): string[] {
  const { report, history, signatures, documents } = found
  const { number, hash } = chain.block
  const recorded = new Set(
    [...history.held, ...(history.pending ? [history.pending] : [])].map(
      (each) => each.policy_hash,
    ),
  )
  const missing = recorded.size - documents
  const others = signatures.filter(({ composeHash }) => composeHash !== report.composeHash).length
  return [
    ...report.open,
    `A node reported the contract’s record and events as of block ${number} (${hash}). They are not proven, and nothing is known of later blocks: compare them with another node.`,
    'The owner of the contract can replace its code.',
    ...(missing > 0
      ? [
          `Documents of other policies that are not there: ${missing}. What they allowed is unknown.`,
        ]
      : []),
    ...(others > 0
      ? [
          `Signatures in receipts of other releases, whose code this evidence does not show: ${others}.`,
        ]
      : []),
    ...(signatures.length > 0
      ? [
          'Receipts do not show that there are no other signatures. Their times are those of the machine.',
        ]
      : []),
  ]
}
