/** The evidence that an origin serves for verification (docs/attestation.md). */
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
/** Intel's signed collateral, or its simulated counterpart. It carries its own signatures, so the checksums omit it. */
export const COLLATERAL_FILE = 'collateral.json'

/** `GET /attestation`. The quote's report data is zero, or with `?nonce=` a hash of the nonce (`nonce.ts`). */
export const attestationSchema = z.object({
  /** A TDX quote of version 4 in hex, with or without 0x. */
  quote: z.string(),
  /** JSON array of events. */
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
 * `GET /evidences/collateral.json`, in the form that `@phala/dcap-qvl` reads. CRLs and signatures are hex, chains PEM,
 * and the rest JSON.
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

/** Everything that a verification needs, so that it can be repeated later without a network (`svc verify --save`). */
export const bundleSchema = z.object({
  version: z.literal(1),
  base_url: z.string(),
  /** RFC 3339: the time at which certificates, collateral and keys are judged. */
  fetched_at: z.string(),
  attestation: attestationSchema,
  /**
   * The quote for a nonce of the verifier's choice (nonce in hex). Without it, the evidence may be a replay of older
   * evidence.
   */
  fresh: z.object({ nonce: z.string(), attestation: attestationSchema }).optional(),
  info: infoSchema,
  /** The files under `/evidences/`, unmodified, by name. */
  files: z.record(z.string(), z.string()),
  collateral: collateralSchema,
  /** Certificate of the TLS handshake that the files came over; absent if the verifier cannot see it. */
  served_certificate: z.object({ der_base64: z.string() }).optional(),
  /** CAA records of the host, as in a zone file: `0 issue "ca.example; accounturi=…"`. */
  caa: z.object({ host: z.string(), records: z.array(z.string()) }).optional(),
  /** The governance contract's decision on the compose hash. The contract is at `app_id`. */
  governance: z.object({ chain_id: z.number().int(), allowed: z.boolean() }).optional(),
})
export type EvidenceBundle = z.infer<typeof bundleSchema>
