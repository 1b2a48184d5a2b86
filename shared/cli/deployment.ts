import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { ClientPolicy, Verify } from '../client/verification/client-policy.ts'
import { isLoopback } from '../network/loopback.ts'
import type { Credentials } from './credentials/credentials.ts'
import { type LocalStack, localStackOf } from './local-stack.ts'
import { defaultAuthorities } from './default-authorities.ts'
import { type Terminal, UsageError } from './terminal.ts'

export type DeploymentOptions = {
  baseUrl?: string
  triggersUrl?: string
  ca?: string
  /** Resolves the deployment as if no local stack were running in this folder. */
  ignoresStack?: boolean
}

export type ResolvedDeployment = {
  /**
   * URL of the core API on the machine's own host, without a trailing slash.
   * @throws {UsageError} if no URL is configured
   */
  readonly baseUrl: string
  /** URL of the trigger service, without a trailing slash. @throws {UsageError} if no URL is configured */
  readonly triggersUrl: string
  /** The same URLs, but undefined if not configured. Reading these URLs never throws. */
  readonly known: { baseUrl: string | undefined; triggersUrl: string | undefined }
  /**
   * Like the global `fetch`, but also trusts the certificate authority of a local stack or of `--ca` for the
   * deployment's hosts.
   */
  fetch: typeof fetch
}

/**
 * Resolves the deployment from the options, then the environment, then this folder's local stack, then the last login.
 * If only one of the two URLs is given, the other URL is taken only from a stack or login with the given URL.
 * @throws {UsageError} for a URL that credentials must not be sent to
 */
export async function resolveDeployment(
  options: DeploymentOptions,
  terminal: Terminal,
  credentials: Pick<Credentials, 'read'>,
): Promise<ResolvedDeployment> {
  const { environment, folder } = terminal
  const given = {
    baseUrl:
      hostIn('--base-url', options.baseUrl) ?? hostIn('SVC_BASE_URL', environment['SVC_BASE_URL']),
    triggersUrl:
      hostIn('--triggers-url', options.triggersUrl) ??
      hostIn('SVC_TRIGGERS_URL', environment['SVC_TRIGGERS_URL']),
  }
  const stack = options.ignoresStack ? undefined : localStackOf(folder, environment)
  const known =
    completeUrls(given, stack) ?? completeUrls(given, await lastLogin(credentials)) ?? given
  return {
    known,
    get baseUrl() {
      return known.baseUrl ?? missingUrl('--base-url', 'SVC_BASE_URL')
    },
    get triggersUrl() {
      return known.triggersUrl ?? missingUrl('--triggers-url', 'SVC_TRIGGERS_URL')
    },
    fetch: fetchFor(known, authorityOf(options, terminal), stack),
  }
}

const SIMULATED_ROOT = 'SVC_SIM_ROOT_SHA256'

/**
 * Returns the verification mode for an origin. Loopback hosts are exempt from verification, because no other machine
 * can intercept the connection and their evidence is simulated. Other hosts need Intel's root, or the simulated root of
 * a staging deployment that `SVC_SIM_ROOT_SHA256` pins.
 * @throws {UsageError} if `SVC_SIM_ROOT_SHA256` is malformed
 */
export function verificationFor(
  baseUrl: string,
  { environment }: Pick<Terminal, 'environment'>,
): { verify: Verify; policy?: ClientPolicy } {
  if (isLoopback(new URL(baseUrl).hostname)) return { verify: 'never' }
  const spkiSha256 = environment[SIMULATED_ROOT]
  if (!spkiSha256) return { verify: 'once' }
  if (!/^[0-9a-f]{64}$/.test(spkiSha256))
    throw new UsageError(`${SIMULATED_ROOT}: expected lower-case hex of 32 bytes`)
  return { verify: 'once', policy: { root: { kind: 'simulated', spkiSha256 } } }
}

type DeploymentUrls = { baseUrl: string | undefined; triggersUrl: string | undefined }

/** Returns undefined if a given URL differs from the deployment's URL. */
function completeUrls(
  said: DeploymentUrls,
  whole: DeploymentUrls | undefined,
): DeploymentUrls | undefined {
  if (!whole) return undefined
  const isOther = (name: keyof DeploymentUrls) =>
    said[name] !== undefined && said[name] !== whole[name]
  if (isOther('baseUrl') || isOther('triggersUrl')) return undefined
  return { baseUrl: whole.baseUrl, triggersUrl: whole.triggersUrl }
}

async function lastLogin(
  credentials: Pick<Credentials, 'read'>,
): Promise<DeploymentUrls | undefined> {
  const kept = (await credentials.read()).current
  return kept && { baseUrl: kept.base_url, triggersUrl: kept.triggers_url }
}

function authorityOf({ ca }: DeploymentOptions, terminal: Terminal): string | undefined {
  const file = ca ?? terminal.environment['SVC_CA_FILE']
  if (!file) return undefined
  try {
    return readFileSync(resolve(terminal.folder, file), 'utf8')
  } catch (error) {
    throw new UsageError(
      `${ca === undefined ? 'SVC_CA_FILE' : '--ca'}: ${(error as Error).message}`,
    )
  }
}

function fetchFor(
  { baseUrl, triggersUrl }: DeploymentUrls,
  authority: string | undefined,
  stack: LocalStack | undefined,
): typeof fetch {
  const origins = [baseUrl, triggersUrl].filter((url) => url !== undefined)
  if (authority !== undefined) return trustingFetch(authority, origins)
  const ofStack = stack && [stack.baseUrl, stack.triggersUrl].filter((url) => origins.includes(url))
  return ofStack?.length ? trustingFetch(stack!.authority, ofStack) : fetch
}

function hostIn(name: string, text: string | undefined): string | undefined {
  return text ? parseHostUrl(text, name, `${name}: expected ${HOST_URL}`).origin : undefined
}

export const HOST_URL = 'an https:// URL (http:// only for this machine)'

/**
 * Parses a URL by the same rules as the client: only scheme, host and port, and plain HTTP only for loopback hosts.
 * @param name start of the error message for an additional part, such as a path
 * @param invalid error message for a text that is not such a URL
 */
export function parseHostUrl(text: string, name: string, invalid: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isPlain = url?.protocol === 'http:' && isLoopback(url.hostname)
  if (!url || (url.protocol !== 'https:' && !isPlain)) throw new UsageError(invalid)
  if (url.username || url.password || url.search || url.hash || url.pathname !== '/')
    throw new UsageError(`${name}: expected only scheme, host and port`)
  return url
}

function missingUrl(option: string, variable: string): never {
  throw new UsageError(
    `no deployment: use ${option}, set ${variable}, run svc login, or start a local stack here with svc up`,
  )
}

/**
 * Returns a `fetch` that trusts an additional certificate authority, but only for some hosts.
 * @param authority PEM certificate
 * @param origins scheme, host and port of each host that may use certificates of the authority
 */
function trustingFetch(authority: string, origins: readonly string[]): typeof fetch {
  let trusting: Promise<(url: string, init: object) => Promise<unknown>> | undefined
  return async (input, init) => {
    const url = String(input instanceof Request ? input.url : input)
    if (!origins.includes(new URL(url).origin)) return fetch(input, init)
    trusting ??= fetchWith(authority)
    // The cast is needed, because undici and the DOM types declare the same interface separately.
    return (await (
      await trusting
    )(url, init ?? {})) as Response
  }
}

async function fetchWith(authority: string) {
  // The bundled command line has only the default export of a CommonJS package that is imported on demand.
  const { default: undici } = await import('undici')
  const ca = [...defaultAuthorities(), authority]
  const dispatcher = new undici.Agent({ connect: { ca } })
  return (url: string, init: object) => undici.fetch(url, { ...init, dispatcher })
}
