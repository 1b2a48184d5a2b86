import { bundleSchema } from '../../attestation/evidence.ts'
import type { Policy, Verdict } from '../../attestation/policy.ts'
import { requireVerified } from '../../attestation/refused.ts'
import { verifyBundle } from '../../attestation/verify.ts'
import { decodeBase64url } from '../../base64url.ts'
import { importReceiptKey } from '../../client/verification/receipt-key.ts'
import { decodeHex } from '../../hex.ts'
import type { ReceiptKey } from '../../receipt.ts'
import { UsageError } from '../terminal.ts'

/** The origin of the key that receipts are verified with, which determines what they prove. */
export type KeySource = {
  key: ReceiptKey
  kind: 'evidence' | 'given'
  /** Verdict on the evidence. */
  verdict: Verdict | undefined
  /** The host that served the evidence, and when. */
  from: string | undefined
  composeHash: string | undefined
}

/** Accepts any root: the verdict states which kind it was. */
const POLICY: Policy = { root: { kind: 'any' }, statuses: ['UpToDate'] }
const POINT_BYTES = 65

/**
 * Resolves the key of `--evidence` or `--key`.
 * @param read reads a file, or standard input
 * @throws {UsageError | EvidenceRefused}
 */
export async function receiptKeyFrom(
  { evidence, key }: { evidence?: string; key?: string },
  read: (file: string) => Promise<string>,
): Promise<KeySource> {
  if (evidence !== undefined && key === undefined)
    return keyOfEvidence(evidence, await read(evidence))
  if (key === undefined || evidence !== undefined)
    throw new UsageError('receipt verify takes either --evidence or --key')
  return {
    key: await importReceiptKey(pointIn(key)).catch(() => {
      throw notAKey()
    }),
    kind: 'given',
    verdict: undefined,
    from: undefined,
    composeHash: undefined,
  }
}

async function keyOfEvidence(file: string, text: string): Promise<KeySource> {
  const bundle = bundleSchema.safeParse(jsonIn(text))
  if (!bundle.success) throw new UsageError(`--evidence ${file} is no bundle of svc verify --save`)
  const { base_url, fetched_at } = bundle.data
  const report = await verifyBundle(bundle.data, POLICY, new Date(fetched_at))
  requireVerified(report, ['quote', 'compose hash', 'images', 'evidence files'])
  return {
    key: await importReceiptKey(report.keys!.receipt),
    kind: 'evidence',
    verdict: report.verdict,
    from: `${base_url} at ${fetched_at}`,
    composeHash: report.composeHash,
  }
}

function pointIn(text: string): Uint8Array {
  const bytes = [decodeHex(text), decodeBase64url(text)].find(
    (point) => point?.length === POINT_BYTES && point[0] === 4,
  )
  if (bytes) return bytes
  throw notAKey()
}

function notAKey(): UsageError {
  return new UsageError('--key is no uncompressed point of P-256: 65 bytes in hex or base64url')
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
