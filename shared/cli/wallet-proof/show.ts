import { describePolicy, durationWords } from '../../policies/describe-policy.ts'
import { type Terminal, colorize, printable } from '../terminal.ts'
import type { WalletProof } from './bundle.ts'
import type { HeldPolicy } from './history.ts'
import type { ProofRefusedError } from './proof-error.ts'
import type { ProvenSignature } from './receipts.ts'
import type { ProvenWallet } from './verify-wallet-proof.ts'

export type ProofHeading = {
  wallet: string
  at: Date
  /** Notes about where values came from that were not passed as options. */
  notes: readonly string[]
}

const NAME_WIDTH = 13
const line = (name: string, text: string) => `${name.padEnd(NAME_WIDTH)} ${printable(text)}`
const time = (seconds: number) => new Date(seconds * 1_000).toISOString().replace('.000', '')

export function proofLines(
  heading: ProofHeading,
  proven: ProvenWallet,
  proof: WalletProof,
  terminal: Terminal,
): string[] {
  const { statement, policy, history, signatures, appId, open, verdict } = proven
  const { rules, sums } = describePolicy(policy.document)
  const { block } = proof.chain
  const former = history.held.slice(0, -1)
  return [
    ...headingLines(heading),
    '',
    line('wallet', `${statement.wallet_address} of the account ${statement.account_hash}`),
    line('key', keyWords(statement.lock)),
    line('application', `${appId}, compose hash ${statement.compose_hash}`),
    line(
      'contract',
      `${statement.contract} on chain ${statement.chain_id}, as of block ${block.number}`,
    ),
    line('policy', policyWords(history.held.at(-1)!)),
    ...(history.pending
      ? [
          line(
            'pending',
            `${history.pending.policy_hash} from ${time(history.pending.effective_at)} on`,
          ),
        ]
      : []),
    ...former.map((held) =>
      line('former', `${held.policy_hash} from ${time(held.from)} to ${time(held.until!)}`),
    ),
    '',
    ...rules.map((rule, index) => `${index + 1}. ${printable(rule)}.`),
    ...(sums.length === 0 ? [] : ['', 'Sums:', ...sums.map((sum) => `- ${printable(sum)}.`)]),
    ...(signatures.length === 0 ? [] : ['', 'Signatures in receipts:']),
    ...signatures.flatMap(signatureLines),
    '',
    'Left open:',
    ...open.map((sentence) => `  - ${printable(sentence)}`),
    '',
    verdict === 'HARDWARE'
      ? `${colorize('HARDWARE', 'green', terminal)}: the wallet signs only what the policy allows`
      : `${colorize('SIMULATED', 'yellow', terminal)}: the wallet signs only what the policy allows, but software simulates the machine`,
  ]
}

const headingLines = ({ wallet, at, notes }: ProofHeading) => [
  `svc verify wallet ${printable(wallet)}, as of ${at.toISOString()}`,
  ...notes.map((note) => `  ${printable(note)}`),
]

const keyWords = (lock: string | null) =>
  lock === null
    ? 'derived for policies: no operation of the application returns it'
    : `derived for the immutable policy ${lock} alone: no operation of the application returns it`

function policyWords({ policy_hash, from, change_delay_s, is_immutable }: HeldPolicy): string {
  const change = is_immutable
    ? 'it can never be changed'
    : change_delay_s === 0
      ? 'any change takes effect at once'
      : `changes that loosen it wait ${durationWords(change_delay_s)}`
  return `${policy_hash} since ${time(from)}; ${change}`
}

const signatureLines = ({ finishedAt, digest, rule, policy_hash, sums }: ProvenSignature) => [
  `  ${finishedAt}  ${digest}`,
  `    allowed by the rule ${JSON.stringify(printable(rule))} of the policy ${policy_hash}`,
  ...sums.map(
    ({ key, remaining, max }) => `    ${remaining} of ${max} remained of the sum ${printable(key)}`,
  ),
]

export function proofJson(
  { wallet, at, notes }: ProofHeading,
  proven: ProvenWallet,
  proof: WalletProof,
): object {
  const { verdict, statement, policy, history, signatures, appId, open } = proven
  const { policy_hash, from, change_delay_s, is_immutable } = history.held.at(-1)!
  return {
    verdict,
    wallet,
    at: at.toISOString(),
    notes,
    account_hash: statement.account_hash,
    lock: statement.lock,
    app_id: appId,
    compose_hash: statement.compose_hash,
    chain_id: statement.chain_id,
    contract: statement.contract,
    block: proof.chain.block,
    policy: {
      hash: policy_hash,
      document: policy.document,
      held_since: from,
      change_delay_s,
      is_immutable,
    },
    pending: history.pending ?? null,
    former: history.held.slice(0, -1).map(({ policy_hash: hash, from: since, until }) => ({
      hash,
      from: since,
      until,
    })),
    signatures: signatures.map(({ finishedAt, composeHash, ...signature }) => ({
      ...signature,
      finished_at: finishedAt,
      compose_hash: composeHash,
    })),
    open,
  }
}

export const refusedLines = (heading: ProofHeading, { message }: Error, terminal: Terminal) => [
  ...headingLines(heading),
  '',
  `${colorize('FAILED', 'red', terminal)}: ${printable(message)}`,
]

export const refusedJson = ({ wallet, at, notes }: ProofHeading, error: Error): object => ({
  verdict: 'FAILED',
  wallet,
  at: at.toISOString(),
  notes,
  flaw: (error as Partial<ProofRefusedError>).flaw ?? 'not_collected',
  reason: error.message,
})
