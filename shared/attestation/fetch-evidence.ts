import { z } from 'zod'
import { encodeHex } from '../encoding/hex.ts'
import {
  ATTESTATION_MAX_BYTES,
  COLLATERAL_MAX_BYTES,
  EVIDENCE_BUNDLE_MAX_BYTES,
  EVIDENCE_FILE_MAX_BYTES,
  EVIDENCE_FILES_MAX,
} from '../limits.ts'
import { type FetchText, fetchBounded, EvidenceFetchError } from './fetch-bounded.ts'
import { isEvidenceName, UNLISTED_FILES, parseChecksums } from './checksums.ts'
import { sha256Hex } from './digests.ts'
import {
  ATTESTATION_PATH,
  attestationSchema,
  CHECKSUMS_FILE,
  type Collateral,
  COLLATERAL_FILE,
  collateralSchema,
  EVIDENCE_BUNDLE_PATH,
  type EvidenceBundle,
  type EvidenceBundleResponse,
  evidenceBundleResponseSchema,
  EVIDENCES_PATH,
  INFO_PATH,
  infoSchema,
  QUOTE_FILE,
} from './evidence.ts'
import { parseEvidenceJson } from './parse-evidence-json.ts'

export type FetchEvidenceOptions = {
  /** URL of the origin, or of an edge that forwards the origin's evidence. The path is ignored. */
  baseUrl: string
  fetch: (url: string, init: RequestInit) => Promise<Response>
  /** Nonce of 16 to 64 random bytes, to which a fresh quote must commit. */
  nonce?: Uint8Array
  /** Collateral to use instead of the origin's own. Required if the origin serves no collateral. */
  collateral?: Collateral
  now: () => number
  signal?: AbortSignal
}

/**
 * Fetches an origin's evidence as input for `verifyBundle`, in one response that arrives over one connection. The
 * caller adds the platform-dependent parts: server certificate, CAA records, and governance decision.
 * @throws {EvidenceFetchError} if a response is missing, too long, too late, redirected or malformed
 */
export async function fetchEvidence(options: FetchEvidenceOptions): Promise<EvidenceBundle> {
  const { nonce, now } = options
  const { origin } = new URL(options.baseUrl)
  const fetchText: FetchText = (path, maxBytes) => fetchBounded(options, origin + path, maxBytes)
  const json: FetchJson = async (path, schema, maxBytes) =>
    parseEvidenceJson(path, await fetchText(path, maxBytes), schema, EvidenceFetchError)
  const query = nonce ? `?nonce=${encodeHex(nonce)}` : ''

  const fetched_at = new Date(now()).toISOString()
  const found =
    (await fetchTogether(json, query)) ?? (await fetchSeparately(json, fetchText, query, options))
  const { attestation, fresh, info, files, covers_files } = found
  const collateral = options.collateral ?? found.collateral
  if (!collateral)
    throw new EvidenceFetchError(`${EVIDENCE_BUNDLE_PATH} contains no collateral at the moment`)
  return {
    version: 1,
    base_url: options.baseUrl,
    fetched_at,
    attestation,
    ...(fresh && nonce && { fresh: { nonce: encodeHex(nonce), attestation: fresh, covers_files } }),
    info,
    files,
    collateral,
  }
}

type FetchJson = <Shape>(path: string, schema: z.ZodType<Shape>, maxBytes: number) => Promise<Shape>

type FoundEvidence = EvidenceBundleResponse & { covers_files: boolean }

/** Undefined if an older origin, or an older edge in front of it, does not have this path. */
async function fetchTogether(json: FetchJson, query: string): Promise<FoundEvidence | undefined> {
  const path = EVIDENCE_BUNDLE_PATH + query
  try {
    const found = await json(path, evidenceBundleResponseSchema, EVIDENCE_BUNDLE_MAX_BYTES)
    return { ...found, covers_files: true }
  } catch (error) {
    if (error instanceof EvidenceFetchError && error.status === 404) return undefined
    throw error
  }
}

/** The parts match only if all responses are from machines with the same certificate. */
async function fetchSeparately(
  json: FetchJson,
  fetchText: FetchText,
  query: string,
  { collateral }: FetchEvidenceOptions,
): Promise<FoundEvidence> {
  const attestation = (path: string) => json(path, attestationSchema, ATTESTATION_MAX_BYTES)
  const [shown, fresh, info, served, files] = await Promise.all([
    attestation(ATTESTATION_PATH),
    query === '' ? undefined : attestation(ATTESTATION_PATH + query),
    // The info response contains the event log in addition to the compose text.
    json(INFO_PATH, infoSchema, 2 * ATTESTATION_MAX_BYTES),
    collateral ?? json(EVIDENCES_PATH + COLLATERAL_FILE, collateralSchema, COLLATERAL_MAX_BYTES),
    fetchConsistentFiles(fetchText),
  ])
  return { attestation: shown, fresh, info, files, collateral: served, covers_files: false }
}

type Files = EvidenceBundle['files']

/**
 * Fetches the evidence files, and retries once if they are inconsistent, because the origin may have renewed its
 * evidence between the requests.
 */
async function fetchConsistentFiles(fetchText: FetchText): Promise<Files> {
  const files = await fetchFiles(fetchText)
  return isConsistent(files) ? files : fetchFiles(fetchText)
}

async function fetchFiles(fetchText: FetchText): Promise<Files> {
  // The size limit is the same as in rule 4. Without this limit, a hostile host could exhaust the memory of a Worker
  // with large files that are fetched in parallel.
  const file = (name: string) =>
    fetchText(EVIDENCES_PATH + encodeURIComponent(name), EVIDENCE_FILE_MAX_BYTES)
  const [listing, checksums, quote] = await Promise.all([
    fetchText(EVIDENCES_PATH, EVIDENCE_FILE_MAX_BYTES),
    file(CHECKSUMS_FILE),
    file(QUOTE_FILE),
  ])
  const names = [...new Set([...listedNames(listing), ...checksumNames(checksums)])]
  if (names.length > EVIDENCE_FILES_MAX)
    throw new EvidenceFetchError(`${EVIDENCES_PATH} lists too many files: ${names.length}`)
  const texts = await Promise.all(names.map(file))
  const entries = names.map((name, at) => [name, texts[at]!] as const)
  return Object.fromEntries([[CHECKSUMS_FILE, checksums], [QUOTE_FILE, quote], ...entries])
}

/** Rule 4 fails if a listed file has no checksum. */
function listedNames(listing: string): string[] {
  return [...listing.matchAll(/href="(?:\.\/|\/evidences\/)?([^"/]+)"/g)]
    .map(([, name]) => name!)
    .filter((name) => isEvidenceName(name) && !UNLISTED_FILES.includes(name))
}

/** Empty if the list does not parse, because rule 4 rejects such a list later. */
function checksumNames(checksums: string): string[] {
  try {
    return [...parseChecksums(checksums).keys()]
  } catch {
    return []
  }
}

const reportDataSchema = z.object({ report_data: z.string() })

function isConsistent(files: Files): boolean {
  const { [CHECKSUMS_FILE]: checksums = '', [QUOTE_FILE]: quote = '' } = files
  try {
    const { report_data } = reportDataSchema.parse(JSON.parse(quote))
    const sums = [...parseChecksums(checksums)]
    const areListed = sums.every(([name, sum]) => sha256Hex(files[name] ?? '') === sum)
    return areListed && report_data.toLowerCase().startsWith(sha256Hex(checksums))
  } catch {
    return false
  }
}
