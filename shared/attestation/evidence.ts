/** Format of an origin's evidence (docs/attestation.md). */
import { z } from 'zod'

export const ATTESTATION_PATH = '/attestation'
export const INFO_PATH = '/info'
export const EVIDENCES_PATH = '/evidences/'
export const CHECKSUMS_FILE = 'sha256sum.txt'
export const QUOTE_FILE = 'quote.json'
export const ACME_ACCOUNT_FILE = 'acme-account.json'
export const CHANNEL_KEY_FILE = 'channel-key.json'
export const STORAGE_KEY_FILE = 'storage-key.json'
export const RECEIPT_KEY_FILE = 'receipt-key.json'
/**
 * Intel's signed collateral, or its simulated counterpart. Not in the checksum list, because it has its own signatures.
 */
export const COLLATERAL_FILE = 'collateral.json'

/** Marks a simulated quote, in the user data of its header. */
export const SIMULATED_MARK = 'SIMULATED-NOT-TDX'
/** Contained in the subject name of every simulated certificate, so that people recognize it. */
export const SIMULATED_NAME = 'SIMULATED'

/** Response of `GET /attestation`. The report data is zero, or with `?nonce=` a hash of the nonce (`nonce.ts`). */
export const attestationSchema = z.object({
  /** TDX quote of version 4 in hex, with or without 0x. */
  quote: z.string(),
  /** JSON array as text. */
  event_log: z.string(),
  vm_config: z.string(),
})
export type Attestation = z.infer<typeof attestationSchema>

export const infoSchema = z.object({
  app_id: z.string(),
  compose_hash: z.string(),
  tcb_info: z.object({ app_compose: z.string() }),
})
export type Info = z.infer<typeof infoSchema>

export const evidenceQuoteSchema = attestationSchema.extend({ report_data: z.string() })
export type EvidenceQuote = z.infer<typeof evidenceQuoteSchema>

/**
 * `/evidences/collateral.json`, in the format of `@phala/dcap-qvl`. Revocation lists and signatures are hex,
 * certificate chains are PEM, and the other fields are JSON text.
 */
export const collateralSchema = z.object({
  pck_crl_issuer_chain: z.string(),
  root_ca_crl: z.string(),
  pck_crl: z.string(),
  tcb_info_issuer_chain: z.string(),
  tcb_info: z.string(),
  tcb_info_signature: z.string(),
  qe_identity_issuer_chain: z.string(),
  qe_identity: z.string(),
  qe_identity_signature: z.string(),
})
export type Collateral = z.infer<typeof collateralSchema>

/** Complete input of a verification. A saved bundle (`svc verify --save`) can be verified later without a network. */
export const bundleSchema = z.object({
  version: z.literal(1),
  base_url: z.string(),
  /** RFC 3339. Certificates, collateral and keys must be valid at this time. */
  fetched_at: z.string(),
  attestation: attestationSchema,
  /** Quote for a nonce (hex) that the verifier chose. Without it, the evidence may be a replay. */
  fresh: z.object({ nonce: z.string(), attestation: attestationSchema }).optional(),
  info: infoSchema,
  /** Unmodified contents of `/evidences/`, by file name. */
  files: z.record(z.string(), z.string()),
  collateral: collateralSchema,
  /** From the TLS connection over which the files were fetched. Absent if the verifier has no access to it. */
  served_certificate: z.object({ der_base64: z.string() }).optional(),
  /** Zone file syntax: `0 issue "ca.example; accounturi=…"`. */
  caa: z.object({ host: z.string(), records: z.array(z.string()) }).optional(),
  /** Decision on the compose hash by the governance contract at `app_id`. */
  governance: z.object({ chain_id: z.number().int(), allowed: z.boolean() }).optional(),
})
export type EvidenceBundle = z.infer<typeof bundleSchema>
