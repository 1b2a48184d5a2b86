import { createHash } from 'node:crypto'
import {
  ACME_ACCOUNT_FILE,
  type Attestation,
  CHANNEL_KEY_FILE,
  CHECKSUMS_FILE,
  type Info,
  QUOTE_FILE,
  RECEIPT_KEY_FILE,
  STORAGE_KEY_FILE,
} from '../../shared/attestation/evidence.ts'
import {
  channelKeyFile,
  dayOf,
  type EvidenceKeys,
  receiptKeyFile,
  storageKeyFile,
  validUntil,
} from './key-files.ts'
import { REPORT_DATA_BYTES, type TeeProvider } from './provider.ts'

/** The certificate served over TLS, as the evidence names it. */
export type ServedCertificate = {
  /** Domain of the public URL. The file is `cert-<domain>.pem`. */
  domain: string
  /** PEM, leaf first. */
  chain: string
  /** JSON with the account's URI, as the ACME client wrote it. */
  acmeAccount: string
}

/** All evidence of one moment. Its parts match each other, so it is only replaced as a whole. */
export type EvidenceSet = {
  /** Files by name, in the order of the listing. */
  files: ReadonlyMap<string, string>
  /** Quote with zeroed report data. */
  attestation: Attestation
  info: Info & Record<string, unknown>
  certificate: ServedCertificate
  /** Days since 1970, UTC. */
  day: number
  /** Unix milliseconds from which its channel key is rejected. */
  validUntil: number
}

/**
 * Makes the current evidence (`docs/attestation.md`): the checksums of the files, and a quote with the SHA-256 of those
 * checksums, padded with zeros, as its report data.
 * @param at Unix milliseconds
 * @throws {TeeUnavailable}
 */
export async function makeEvidenceSet(
  tee: TeeProvider,
  keys: EvidenceKeys,
  certificate: ServedCertificate,
  at: number,
): Promise<EvidenceSet> {
  const summed = new Map([
    [ACME_ACCOUNT_FILE, certificate.acmeAccount],
    [`cert-${certificate.domain}.pem`, certificate.chain],
    [CHANNEL_KEY_FILE, channelKeyFile(keys.channel, keys.epoch, at)],
    [RECEIPT_KEY_FILE, receiptKeyFile(keys.receipt)],
    [STORAGE_KEY_FILE, storageKeyFile(keys.storage)],
  ])
  const checksums = [...summed].map(([name, text]) => `${sha256(text, 'hex')}  ${name}\n`).join('')
  const [quote, plain, info] = await Promise.all([
    tee.quote(sha256(checksums)),
    tee.quote(new Uint8Array(REPORT_DATA_BYTES)),
    tee.info(),
  ])
  const files = new Map(summed)
  files.set(CHECKSUMS_FILE, checksums)
  files.set(QUOTE_FILE, `${JSON.stringify(quote, null, 2)}\n`)
  return {
    files,
    attestation: attestationOf(plain),
    info,
    certificate,
    day: dayOf(at),
    validUntil: validUntil(at),
  }
}

/** Selects the documented fields, without any others. */
export function attestationOf({ quote, event_log, vm_config }: Attestation): Attestation {
  return { quote, event_log, vm_config }
}

function sha256(text: string): Buffer
function sha256(text: string, encoding: 'hex'): string
function sha256(text: string, encoding?: 'hex'): Buffer | string {
  const hash = createHash('sha256').update(text)
  return encoding ? hash.digest(encoding) : hash.digest()
}
