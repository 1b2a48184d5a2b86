import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { z } from 'zod'
import type { ServedTls } from './served-tls.ts'

export const CHAIN_FILE = 'fullchain.pem'
export const KEY_FILE = 'privkey.pem'
export const ACCOUNT_FILE = 'acme-account.json'

/** Thrown if TLS files are missing, incomplete or mismatched. Files that were loaded earlier remain in use. */
export class TlsFilesError extends Error {
  constructor(reason: string) {
    super(`invalid TLS files: ${reason}`)
    this.name = 'TlsFilesError'
  }
}

/** Formats in which certbot (`regr.json`) and lego store the URI of an ACME account. */
const accountUriSchema = z.union([
  z.object({ uri: z.url() }).transform(({ uri }) => uri),
  z.object({ account_uri: z.url() }).transform(({ account_uri }) => account_uri),
  z
    .object({ registration: z.object({ accountURL: z.url() }) })
    .transform(({ registration }) => registration.accountURL),
  z
    .object({ registration: z.object({ uri: z.url() }) })
    .transform(({ registration }) => registration.uri),
])

/**
 * @param domain host name or IP address that the certificate must cover
 * @throws {TlsFilesError}
 */
export function readOperatorTls(folder: string, domain: string): ServedTls {
  const chain = read(folder, CHAIN_FILE)
  const key = read(folder, KEY_FILE)
  const account = read(folder, ACCOUNT_FILE)
  const leaf = valueOrThrow(() => new X509Certificate(chain), `${CHAIN_FILE} is not a certificate`)
  const privateKey = valueOrThrow(() => createPrivateKey(key), `${KEY_FILE} is not a private key`)
  if (!leaf.checkPrivateKey(privateKey))
    throw new TlsFilesError(`${KEY_FILE} does not match the certificate in ${CHAIN_FILE}`)
  const coversDomain = isIP(domain) ? leaf.checkIP(domain) : leaf.checkHost(domain)
  if (!coversDomain) throw new TlsFilesError(`${CHAIN_FILE} is not for ${domain}`)
  const uri = valueOrThrow(
    () => accountUriSchema.parse(JSON.parse(account)),
    `${ACCOUNT_FILE} does not contain an account URI`,
  )
  // Only the URI is used, because the ACME client's file may contain an e-mail address or the account key.
  return { key, chain, acmeAccount: `${JSON.stringify({ uri })}\n` }
}

export function isSameTls(one: ServedTls, other: ServedTls): boolean {
  return one.key === other.key && one.chain === other.chain && one.acmeAccount === other.acmeAccount
}

function read(folder: string, name: string): string {
  return valueOrThrow(() => readFileSync(join(folder, name), 'utf8'), `${name} cannot be read`)
}

// The original error is not set as the cause, because its message may quote the private key.
function valueOrThrow<Value>(make: () => Value, reason: string): Value {
  try {
    return make()
  } catch {
    throw new TlsFilesError(reason)
  }
}
