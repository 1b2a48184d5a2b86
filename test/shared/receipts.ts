/** Receipts for tests, signed by the origin's own signer, or by hand if the signer would refuse. */
import { randomBytes } from 'node:crypto'
import { keyIdOf } from '../../origin/channel/open-request.ts'
import { Keyring } from '../../origin/keys/keyring.ts'
import { type P256Key, privateKeyOf } from '../../origin/keys/p256-key.ts'
import { signEs256 } from '../../origin/keys/es256.ts'
import { ReceiptSigner } from '../../origin/receipts/receipt-signer.ts'
import { importReceiptKey } from '../../shared/client/verification/receipt-key.ts'
import type { ReceiptSignature } from '../../shared/receipts/receipt-signature.ts'
import type { ReceiptTransaction } from '../../shared/receipts/receipt-transaction.ts'
import type { Outcome } from '../../shared/wire/outcome.ts'

export const ACCOUNT = `0x${'a1'.repeat(32)}`
export const OTHER_ACCOUNT = `0x${'b2'.repeat(32)}`
export const COMPOSE_HASH = 'c0'.repeat(32)
const FINISHED_AT = Date.UTC(2026, 4, 22, 13, 5, 0, 250)

const ended = {
  action_cid: 'QmRf22bZar3WKmojipms22PkXH1MZGmvsqzQtuSvQE3uhm',
  duration_ms: 12.5,
  logs: [],
}
export const BUILD = { version: '1.2.3', commit: 'ab'.repeat(20) }
export const SUCCESS: Extract<Outcome, { status: 'success' }> = {
  ...ended,
  status: 'success',
  response: { n: 1 },
  charged_cents: 1,
}
export const FAILURE: Extract<Outcome, { status: 'failed' }> = {
  ...ended,
  status: 'failed',
  code: 'action_threw',
  message: 'no',
  stack: '',
  charged_cents: 0,
}

/** A signature of a wallet with a policy, which was added to this number of sums. */
export const signatureWith = (sums: number): ReceiptSignature => ({
  wallet: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  digest: `0x${'d1'.repeat(32)}`,
  policy_hash: `0x${'e2'.repeat(32)}`,
  rule: 'pay suppliers',
  sums: Array.from({ length: sums }, (_, at) => ({
    key: `sum ${at}/1`,
    remaining: '75',
    max: '100',
  })),
})

export const requestedTransaction: ReceiptTransaction = {
  id: `tx_${'0a'.repeat(16)}`,
  wallet: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  chain_id: 8453,
  state: 'broadcast',
  hash: `0x${'d1'.repeat(32)}`,
}

export function newReceiptKey(): P256Key {
  return new Keyring(randomBytes(32)).receiptKey()
}

/** A process that signs with this key. */
export function signerWith(key: P256Key, chainsMax?: number) {
  const now = () => FINISHED_AT
  const signer = new ReceiptSigner(
    { key, composeHash: COMPOSE_HASH, build: BUILD, environment: 'staging', now },
    chainsMax,
  )
  return (
    outcome: Outcome = SUCCESS,
    {
      account = ACCOUNT,
      params = '{}',
      runId = undefined as string | undefined,
      signatures = [] as ReceiptSignature[],
      transactions = [] as ReceiptTransaction[],
    } = {},
  ) => {
    const run = { accountHash: account, params, runId, signatures, transactions }
    return signer.addReceipt(run, outcome).receipt!
  }
}

/** A validly signed JWS with any header and payload. */
export function jwsOf(key: P256Key, header: object, payload: object): string {
  const text = `${partOf(header)}.${partOf(payload)}`
  return `${text}.${signEs256(privateKeyOf(key), text).toString('base64url')}`
}

export const headerFor = (key: P256Key) => ({
  alg: 'ES256',
  kid: keyIdOf(key.publicKey),
  typ: 'svc-receipt+jws',
})

export function partOf(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

export function payloadOf(receipt: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(receipt.split('.')[1]!, 'base64url').toString())
}

export function chainOf(signNext: () => string, length: number): string[] {
  return Array.from({ length }, () => signNext())
}

export const verifierOf = ({ publicKey }: P256Key) => importReceiptKey(publicKey)
