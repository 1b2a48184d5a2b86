import { hash } from 'node:crypto'
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
  utcDay,
  type EvidenceKeyPairs,
  receiptKeyFile,
  storageKeyFile,
  evidenceExpiry,
} from './key-files.ts'
import { REPORT_DATA_BYTES, type TeeProvider } from './provider.ts'

export type ServedCertificate = {
  /** Domain of the public URL, used in the certificate's file name, `cert-<domain>.pem`. */
  domain: string
  /** Certificate chain in PEM, with the leaf certificate first. */
  chain: string
  /** ACME account file as written by the ACME client: JSON with the account's URI. */
  acmeAccount: string
}

/** Set of evidence. Its parts match each other, so the set is only replaced as a whole. */
export type EvidenceSet = {
  /** Evidence files by name, in the order in which they are listed. */
  files: ReadonlyMap<string, string>
  /** Attestation whose report data consists of zeros. */
  attestation: Attestation
  info: Info & Record<string, unknown>
  certificate: ServedCertificate
  /** UTC day on which the set was made, as days since 1970. */
  day: number
  /** Expiry of the channel key in the evidence, in Unix milliseconds. */
  validUntil: number
}

/**
 * Makes a set of evidence (`docs/attestation.md`): the evidence files, their checksums, and a quote whose report data
 * is the SHA-256 of the checksums, padded with zeros.
 * @param at current time, in Unix milliseconds
 * @throws {TeeUnavailableError}
 */
export async function makeEvidenceSet(
  tee: TeeProvider,
  keys: EvidenceKeyPairs,
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
  const checksums = [...summed].map(([name, text]) => `${hash('sha256', text)}  ${name}\n`).join('')
  const [quote, plain, info] = await Promise.all([
    tee.quote(hash('sha256', checksums, 'buffer')),
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
    day: utcDay(at),
    validUntil: evidenceExpiry(at),
  }
}

/** Returns an attestation without undocumented fields. */
export function attestationOf({ quote, event_log, vm_config }: Attestation): Attestation {
  return { quote, event_log, vm_config }
}
