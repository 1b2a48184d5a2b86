/** A proof about a wallet that passes, for tests to break. The origin's own code signs the statement and the receipts. */
import { WalletStatements } from '../../../../origin/receipts/wallet-statements.ts'
import { type Policy, parsePolicy } from '../../../../shared/policies/policy.ts'
import { RECEIPT_TYPE } from '../../../../shared/receipts/receipt.ts'
import { WALLET_STATEMENT_TYPE } from '../../../../shared/receipts/wallet-statement.ts'
import type { PolicyEvent, WalletProof } from '../../../../shared/cli/wallet-proof/bundle.ts'
import { policyHolder, recordOf } from '../../../origin/policies/policy-holder.ts'
import { keyring } from '../../../origin/runs/wallet-holder.ts'
import { goodEvidence, NOW, sha256 } from '../../attestation/good-evidence.ts'
import { PAYROLL } from '../../policies/requests.ts'
import { headerFor, jwsOf, payloadOf } from '../../receipts.ts'

export const DELAY_S = 86_400
export const CONTRACT = '0x5FbDB2315678afecb367f032d93F642f64180aa3'
const NOTHING = `0x${'00'.repeat(32)}`
const NOW_S = NOW.getTime() / 1_000
/** The wallet was created, and its policy was tightened and then loosened. The loosening is pending. */
const [CREATED, TIGHTENED, LOOSENED] = [NOW_S - 5 * DELAY_S, NOW_S - 3 * DELAY_S, NOW_S - 3_600]

const withMax = (max: string): Policy =>
  parsePolicy(
    JSON.stringify({
      ...PAYROLL,
      change_delay_s: DELAY_S,
      sums: [{ ...PAYROLL.sums[0]!, max }],
    }),
  )
export const [FIRST, TIGHT, LOOSE] = [withMax('100'), withMax('50'), withMax('200')] as const

const holder = policyHolder('proof', recordOf(TIGHT, { changeDelay: DELAY_S }), [])
export const WALLET = holder.address.toLowerCase()
const accountHash = holder.account.hash
const pkpId = holder.wallet.pkpId

/** The same fields, signed again by the origin. */
export const statementWith = (text: string, changes: object, key = keyring.receiptKey()) =>
  jwsOf(key, { ...headerFor(key), typ: WALLET_STATEMENT_TYPE }, { ...payloadOf(text), ...changes })

export const receiptWith = (text: string, changes: object, key = keyring.receiptKey()) =>
  jwsOf(key, { ...headerFor(key), typ: RECEIPT_TYPE }, { ...payloadOf(text), ...changes })

/** Changes the first signature of a receipt, and signs the receipt again. */
export function signatureWith(text: string, changes: object): string {
  const [signature] = payloadOf(text)['signatures'] as object[]
  return receiptWith(text, { signatures: [{ ...signature, ...changes }] })
}

const iso = (seconds: number) => new Date(seconds * 1_000).toISOString()

function receiptOf(policy: Policy, at: number, sequence: number, composeHash: string): string {
  const { max } = policy.document.sums![0]!
  return jwsOf(keyring.receiptKey(), headerFor(keyring.receiptKey()), {
    v: 1,
    action_cid: 'QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o',
    params_sha256: 'a0'.repeat(32),
    response_sha256: 'b0'.repeat(32),
    status: 'success',
    account_hash: accountHash,
    finished_at: iso(at),
    duration_ms: 20,
    charged_cents: 1,
    compose_hash: composeHash,
    signatures: [
      {
        wallet: holder.address,
        digest: `0x${String(sequence).padStart(64, '0')}`,
        policy_hash: policy.hash,
        rule: 'pay',
        sums: [
          { key: 'USDC a day/1/0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48', remaining: '25', max },
        ],
      },
    ],
    series: 'a'.repeat(22),
    sequence,
    ...(sequence > 1 && { previous_sha256: 'c0'.repeat(32) }),
  })
}

const termsOf = ({ hash, document }: Policy) => ({
  policy_hash: hash,
  change_delay_s: document.change_delay_s ?? 0,
  is_immutable: document.immutable ?? false,
})

function eventOf(
  policy: Policy,
  replaces: string,
  [set_at, effective_at]: [number, number],
  block_number: number,
): PolicyEvent {
  return {
    contract: CONTRACT.toLowerCase(),
    account_hash: accountHash,
    pkp_id: pkpId,
    replaces,
    ...termsOf(policy),
    set_at,
    effective_at,
    block_number,
    transaction_hash: `0x${sha256(String(block_number))}`,
    log_index: 0,
  }
}

export async function goodProof(): Promise<WalletProof> {
  const { publicKey } = keyring.receiptKey()
  const receiptKey = {
    alg: 'ES256',
    kid: sha256(publicKey).slice(0, 32),
    public_key: Buffer.from(publicKey).toString('base64url'),
  }
  const evidence = await goodEvidence({ files: { 'receipt-key.json': JSON.stringify(receiptKey) } })
  const composeHash = evidence.info.compose_hash.replace(/^0x/, '')
  const chain = { chainId: 31_337n, contractAddress: CONTRACT }
  const { statement } = new WalletStatements({ keyring, composeHash, chain }).statementFor(
    holder.account,
    pkpId,
    NOW_S,
  )
  const effective_at = LOOSENED + DELAY_S
  return {
    version: 1,
    wallet: WALLET,
    evidence,
    statement,
    chain: {
      chain_id: 31_337,
      contract: CONTRACT.toLowerCase(),
      block: { number: 900, hash: `0x${'ab'.repeat(32)}`, timestamp: NOW_S - 12 },
      record: {
        pkp_id: pkpId,
        ...termsOf(TIGHT),
        set_at: LOOSENED,
        pending: { ...termsOf(LOOSE), effective_at },
      },
      events: [
        eventOf(FIRST, NOTHING, [CREATED, CREATED], 100),
        eventOf(TIGHT, FIRST.hash, [TIGHTENED, TIGHTENED], 500),
        eventOf(LOOSE, TIGHT.hash, [LOOSENED, effective_at], 800),
      ],
    },
    documents: [TIGHT, LOOSE, FIRST].map(({ canonical }) => canonical),
    receipts: [
      receiptOf(FIRST, CREATED + 7_200, 1, composeHash),
      receiptOf(TIGHT, TIGHTENED + 7_200, 2, composeHash),
    ],
  }
}
