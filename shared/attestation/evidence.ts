import { z } from 'zod'

export const ATTESTATION_PATH = '/attestation'
export const EVIDENCE_BUNDLE_PATH = '/attestation/bundle'
export const INFO_PATH = '/info'
export const EVIDENCES_PATH = '/evidences/'
export const CHECKSUMS_FILE = 'sha256sum.txt'
export const QUOTE_FILE = 'quote.json'
export const ACME_ACCOUNT_FILE = 'acme-account.json'
export const CHANNEL_KEY_FILE = 'channel-key.json'
export const STORAGE_KEY_FILE = 'storage-key.json'
export const RECEIPT_KEY_FILE = 'receipt-key.json'
export const COLLATERAL_FILE = 'collateral.json'

/** User data in the header of a simulated quote. */
export const SIMULATED_MARK = 'SIMULATED-NOT-TDX'
/** Part of the subject name of every simulated certificate, so that people recognize such certificates. */
export const SIMULATED_NAME = 'SIMULATED'

/**
 * Response of `GET /attestation`. The report data is zero by default, and a hash of the nonce (`nonce.ts`) with
 * `?nonce=`.
 */
export const attestationSchema = z.object({
  /** TDX quote of version 4 in hex, with or without 0x. */
  quote: z.string(),
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
 * Schema of `/evidences/collateral.json`, in the format of `@phala/dcap-qvl`. Revocation lists and signatures are hex,
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

/**
 * Response of `GET /attestation/bundle`: all evidence that one process serves at one moment. With `?nonce=`, `fresh` is
 * a quote over the nonce and the checksums of the files (`nonce.ts`).
 */
export const evidenceBundleResponseSchema = z.object({
  attestation: attestationSchema,
  fresh: attestationSchema.optional(),
  info: infoSchema,
  /** Texts of the evidence files by name, without the collateral. */
  files: z.record(z.string(), z.string()),
  /** Absent if the origin has none at the moment. */
  collateral: collateralSchema.optional(),
})
export type EvidenceBundleResponse = z.infer<typeof evidenceBundleResponseSchema>

/** Complete input of a verification. A saved bundle (`svc verify --save`) can be verified later without a network. */
export const bundleSchema = z.object({
  version: z.literal(1),
  base_url: z.string(),
  /** RFC 3339 time of the fetch. Certificates, collateral and keys must be valid at this time. */
  fetched_at: z.string(),
  attestation: attestationSchema,
  /** Quote for a nonce (hex) that the verifier chose. Without such a quote, the evidence may be a replay. */
  fresh: z
    .object({
      nonce: z.string(),
      attestation: attestationSchema,
      /** True if the quote is also over the checksums of the files, as in the response of `/attestation/bundle`. */
      covers_files: z.boolean().optional(),
    })
    .optional(),
  info: infoSchema,
  files: z.record(z.string(), z.string()),
  collateral: collateralSchema,
  /**
   * Certificate of the TLS connection over which the files were fetched. Absent if the verifier cannot access the
   * certificate.
   */
  served_certificate: z.object({ der_base64: z.string() }).optional(),
  /** CAA records of the host, in zone file syntax: `0 issue "ca.example; accounturi=…"`. */
  caa: z.object({ host: z.string(), records: z.array(z.string()) }).optional(),
  governance: z.object({ chain_id: z.number().int(), allowed: z.boolean() }).optional(),
})
export type EvidenceBundle = z.infer<typeof bundleSchema>
