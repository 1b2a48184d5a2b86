/** What an origin shows to be verified by (`core-api.md`, Attestation and evidence endpoints), as it is served. */
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
/** Intel's signed word on the machine, or its stand-in; signed by itself, so it is not among the checksums. */
export const COLLATERAL_FILE = 'collateral.json'

/** `GET /attestation`. The quote's report data is zero; with `?nonce=`, a hash of the nonce (`nonce.ts`). */
export const attestationSchema = z.object({
  /** A TDX quote of version 4 in hex; may start with 0x. */
  quote: z.string(),
  /** JSON of events. */
  event_log: z.string(),
  vm_config: z.string(),
})
export type Attestation = z.infer<typeof attestationSchema>

/** `GET /info`. */
export const infoSchema = z.object({
  app_id: z.string(),
  compose_hash: z.string(),
  tcb_info: z.object({ app_compose: z.string() }),
})
export type Info = z.infer<typeof infoSchema>

/** `GET /evidences/quote.json`. */
export const evidenceQuoteSchema = attestationSchema.extend({ report_data: z.string() })
export type EvidenceQuote = z.infer<typeof evidenceQuoteSchema>

/** `GET /evidences/collateral.json`: as `@phala/dcap-qvl` takes it. CRLs and signatures in hex, chains in PEM, the rest JSON. */
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

/** All that a verification needs, so that it can be done again later, without a network (`svc verify --save`). */
export const bundleSchema = z.object({
  version: z.literal(1),
  base_url: z.string(),
  /** RFC 3339: the time by which certificates, collateral and keys are judged. */
  fetched_at: z.string(),
  attestation: attestationSchema,
  /** The answer to a nonce of the verifier's choice, both in hex; without it nothing shows that the machine is there now. */
  fresh: z.object({ nonce: z.string(), attestation: attestationSchema }).optional(),
  info: infoSchema,
  /** The files under `/evidences/`, byte for byte as text, by name. */
  files: z.record(z.string(), z.string()),
  collateral: collateralSchema,
  /** Of the handshake that the files came over; absent where the verifier can not see it. */
  served_certificate: z.object({ der_base64: z.string() }).optional(),
  /** CAA records of the host, as in a zone file: `0 issue "ca.example; accounturi=…"`. */
  caa: z.object({ host: z.string(), records: z.array(z.string()) }).optional(),
  /** What the governance contract at `app_id` said of the compose hash. */
  governance: z.object({ chain_id: z.number().int(), allowed: z.boolean() }).optional(),
})
export type EvidenceBundle = z.infer<typeof bundleSchema>
