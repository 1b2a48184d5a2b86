import { tryParseJson } from '../../json/try-parse-json.ts'
import { bundleSchema } from '../../attestation/evidence.ts'
import { isP256Point } from '../../attestation/key-files.ts'
import { type Policy, RULES_FOR_KEYS, type Verdict } from '../../attestation/policy.ts'
import { requireVerified } from '../../attestation/require-verified.ts'
import { verifyBundle } from '../../attestation/verify.ts'
import { decodeBase64url } from '../../encoding/base64url.ts'
import { importReceiptKey } from '../../client/verification/receipt-key.ts'
import { decodeHex } from '../../encoding/hex.ts'
import type { ReceiptKey } from '../../receipts/receipt.ts'
import { UsageError } from '../terminal.ts'

/** The key that verifies receipts, and the source of the key, which determines what the receipts prove. */
export type KeySource = {
  key: ReceiptKey
  kind: 'evidence' | 'given'
  /** Verdict on the evidence. Undefined if the key was given directly. */
  verdict: Verdict | undefined
  /** Host that served the evidence, and the time of the fetch. Undefined if the key was given directly. */
  from: string | undefined
  composeHash: string | undefined
}

/** Policy for the evidence. Accepts any root of trust, because the verdict shows which kind of root was used. */
const POLICY: Policy = { root: { kind: 'any' }, statuses: ['UpToDate'] }

/**
 * @param read reads a file. `-` means standard input
 * @throws {UsageError | EvidenceRejectedError}
 */
export async function receiptKeyFrom(
  { evidence, key }: { evidence?: string; key?: string },
  read: (file: string) => Promise<string>,
): Promise<KeySource> {
  if (evidence !== undefined && key === undefined)
    return keyOfEvidence(evidence, await read(evidence))
  if (key === undefined || evidence !== undefined)
    throw new UsageError('use either --evidence or --key')
  return {
    key: await importReceiptKey(pointIn(key)).catch(() => {
      throw invalidKeyError()
    }),
    kind: 'given',
    verdict: undefined,
    from: undefined,
    composeHash: undefined,
  }
}

async function keyOfEvidence(file: string, text: string): Promise<KeySource> {
  const bundle = bundleSchema.safeParse(tryParseJson(text))
  if (!bundle.success)
    throw new UsageError(`--evidence ${file} is not a bundle written by svc verify --save`)
  const { base_url, fetched_at } = bundle.data
  const report = await verifyBundle(bundle.data, POLICY, new Date(fetched_at))
  requireVerified(report, RULES_FOR_KEYS)
  return {
    key: await importReceiptKey(report.keys!.receipt),
    kind: 'evidence',
    verdict: report.verdict,
    from: `${base_url} at ${fetched_at}`,
    composeHash: report.composeHash,
  }
}

function pointIn(text: string): Uint8Array {
  const point = [decodeHex(text), decodeBase64url(text)].find(isP256Point)
  if (point) return point
  throw invalidKeyError()
}

function invalidKeyError(): UsageError {
  return new UsageError('--key: expected an uncompressed P-256 point, 65 bytes in hex or base64url')
}
