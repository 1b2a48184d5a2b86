/** Format of the evidence that an origin serves for verification (docs/attestation.md). */
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
 * Name of the file with Intel's signed collateral, or its simulated counterpart. It has its own signatures, so the
 * checksum list does not include it.
 */
export const COLLATERAL_FILE = 'collateral.json'

/**
 * Response of `GET /attestation`. The quote's report data is zero. With `?nonce=`, it is a hash of the nonce
 * (`nonce.ts`).
 */
export const attestationSchema = z.object({
  /** TDX quote of version 4 in hex, with or without 0x. */
  quote: z.string(),
  /** Event log of the machine: the text of a JSON array. */
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
 * Content of `/evidences/collateral.json`, in the format that `@phala/dcap-qvl` reads. Revocation lists and signatures
 * are hex, certificate chains are PEM, and the other fields are JSON text.
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

/**
 * All data that a verification needs. A saved bundle (`svc verify --save`) can be verified again later without a
 * network.
 */
export const bundleSchema = z.object({
  version: z.literal(1),
  base_url: z.string(),
  /**
   * Time at which the evidence was fetched, in RFC 3339. Certificates, collateral and keys must be valid at this time.
   */
  fetched_at: z.string(),
  attestation: attestationSchema,
  /**
   * A quote for a nonce (hex) that the verifier chose. If it is absent, the evidence may be a replay of older evidence.
   */
  fresh: z.object({ nonce: z.string(), attestation: attestationSchema }).optional(),
  info: infoSchema,
  /** Unmodified contents of the files under `/evidences/`, by file name. */
  files: z.record(z.string(), z.string()),
  collateral: collateralSchema,
  /**
   * Server certificate of the TLS connection over which the files were fetched. Absent if the verifier has no access to
   * it.
   */
  served_certificate: z.object({ der_base64: z.string() }).optional(),
  /** CAA records of the host, in zone file syntax: `0 issue "ca.example; accounturi=…"`. */
  caa: z.object({ host: z.string(), records: z.array(z.string()) }).optional(),
  /** Decision of the governance contract on the compose hash. The contract's address is `app_id`. */
  governance: z.object({ chain_id: z.number().int(), allowed: z.boolean() }).optional(),
})
export type EvidenceBundle = z.infer<typeof bundleSchema>
