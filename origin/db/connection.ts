/** Connection options for `DATABASE_URL`, in particular its TLS options. */
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { ClientConfig } from 'pg'

/**
 * TLS modes by `sslmode`. `verify-full` requires a certificate for the host of the URL from a trusted authority. As in
 * node-postgres 8, the modes `prefer`, `require` and `verify-ca` mean the same, and are stricter than in libpq.
 */
const TLS_MODES = {
  disable: 'none',
  'no-verify': 'unverified',
  prefer: 'verified',
  require: 'verified',
  'verify-ca': 'verified',
  'verify-full': 'verified',
} as const

type SslMode = keyof typeof TLS_MODES

/** Parameters that are removed from the URL, because node-postgres prefers them to its TLS options. */
const TLS_PARAMETERS = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey'] as const

/** Parameters of node-postgres that would override `sslmode`. */
const REJECTED_PARAMETERS = ['ssl', 'uselibpqcompat', 'sslnegotiation']

/** Value of `sslrootcert` and of `SVC_DATABASE_CA` that selects the authorities that Node trusts. */
export const SYSTEM_AUTHORITIES = 'system'

export type DatabaseConnection = {
  url: string
  /** Accepted certificate authorities in PEM. Undefined for `sslrootcert`, or the authorities that Node trusts. */
  authorities?: readonly string[] | undefined
}

/** Returns the fault of a database URL, or undefined. The text does not contain the URL. */
export function databaseUrlFault(text: string): string | undefined {
  const url = URL.parse(text)
  if (!url || !/^postgres(ql)?:$/.test(url.protocol)) return 'expected a postgres:// URL'
  const parameters = url.searchParams
  for (const name of REJECTED_PARAMETERS)
    if (parameters.has(name)) return `must not have the parameter ${name}; use sslmode`
  for (const name of TLS_PARAMETERS)
    if (parameters.getAll(name).length > 1) return `has the parameter ${name} twice`
  const mode = parameters.get('sslmode')
  if (mode !== null && !isSslMode(mode))
    return `sslmode must be ${Object.keys(TLS_MODES).join(', ')}`
  const authority = parameters.get('sslrootcert')
  if (authority !== null && tlsMode(url) !== 'verified')
    return 'sslrootcert requires sslmode=verify-full'
  return undefined
}

/** `sslmode` of a valid database URL. Undefined if the URL does not contain it, which means no TLS. */
export function sslModeOf(url: string): SslMode | undefined {
  const mode = new URL(url).searchParams.get('sslmode')
  return mode !== null && isSslMode(mode) ? mode : undefined
}

export function hasOwnAuthority(url: string): boolean {
  return new URL(url).searchParams.has('sslrootcert')
}

/**
 * @throws {Error} if a file that the URL names cannot be read
 */
export function connectionOptions({ url: text, authorities }: DatabaseConnection): ClientConfig {
  const url = new URL(text)
  const ssl = tlsOptions(url, authorities)
  for (const name of TLS_PARAMETERS) url.searchParams.delete(name)
  return { connectionString: url.href, ssl }
}

function tlsOptions(
  url: URL,
  authorities: readonly string[] | undefined,
): NonNullable<ClientConfig['ssl']> {
  const mode = tlsMode(url)
  if (mode === 'none') return false
  const parameter = (name: (typeof TLS_PARAMETERS)[number]) => url.searchParams.get(name)
  const root = parameter('sslrootcert')
  const file = (name: 'sslrootcert' | 'sslcert' | 'sslkey') => {
    const path = parameter(name)
    return path === null ? undefined : readParameterFile(name, path)
  }
  const ca = authorities ?? (root === SYSTEM_AUTHORITIES ? undefined : file('sslrootcert'))
  const [cert, key] = [file('sslcert'), file('sslkey')]
  return {
    ...(mode === 'unverified'
      ? { rejectUnauthorized: false }
      : ca !== undefined && { ca: [ca].flat() }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
  }
}

function tlsMode(url: URL): (typeof TLS_MODES)[SslMode] {
  const mode = url.searchParams.get('sslmode')
  return mode !== null && isSslMode(mode) ? TLS_MODES[mode] : 'none'
}

function isSslMode(mode: string): mode is SslMode {
  return Object.hasOwn(TLS_MODES, mode)
}

function readParameterFile(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException
    throw new Error(`DATABASE_URL: the file of ${name} cannot be read (${code})`, { cause: error })
  }
}

const ARMOR = /-----(?:BEGIN|END) CERTIFICATE-----/g

/**
 * Parses certificates in PEM, or their base64 without armor and line breaks, separated by commas. The second form fits
 * into a line of a compose file.
 * @returns PEM certificates; undefined if the text contains anything else, or no certificate
 */
export function parseAuthorities(text: string): string[] | undefined {
  const parts = text
    .split(text.includes('-----BEGIN') ? ARMOR : ',')
    .map((part) => part.replace(/\s/g, ''))
    .filter((part) => part !== '')
  try {
    const found = parts.map((part) => new X509Certificate(Buffer.from(part, 'base64')).toString())
    return found.length > 0 ? found : undefined
  } catch {
    return undefined
  }
}

const UNTRUSTED_CODES = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'CERT_SIGNATURE_FAILURE',
])

/** Error of a connection to the database that was refused because of TLS. */
export class DatabaseTlsError extends Error {
  override readonly name = 'DatabaseTlsError'
}

/** Explains a TLS failure of a connection. Returns other errors unchanged. */
export function explainTlsError(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const reason = tlsFailure(error)
  return reason === undefined ? error : new DatabaseTlsError(reason, { cause: error })
}

function tlsFailure(error: Error & { code?: string }): string | undefined {
  const { code = '', message } = error
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return 'the database’s certificate is for another host: correct the host in DATABASE_URL, or the certificate'
  if (UNTRUSTED_CODES.has(code))
    return `the database’s certificate is not from a trusted authority (${code}): set SVC_DATABASE_CA to the certificate of its authority`
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID')
    return `the database’s certificate is not valid now (${code})`
  if (message === 'The server does not support SSL connections')
    return 'the database does not support TLS, which sslmode requires'
  return undefined
}
