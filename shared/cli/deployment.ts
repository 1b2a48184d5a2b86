import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { isLoopback } from '../loopback.ts'
import type { Deployment } from './cli.ts'
import type { Credentials } from './credentials/credentials.ts'
import { type LocalStack, localStackOf } from './local-stack.ts'
import { type Terminal, UsageError } from './terminal.ts'
import { trustingFetch } from './trusting-fetch.ts'

/** Options as parsed by commander. */
export type DeploymentOptions = { baseUrl?: string; triggersUrl?: string; ca?: string }

/**
 * Resolves the deployment from the options, then the environment, then the stack running in this folder, then the last
 * login. If only one of the two addresses is given, the other comes only from a deployment that has the given one.
 * @throws {UsageError} for an address that credentials must not be sent to
 */
export async function deploymentOf(
  options: DeploymentOptions,
  terminal: Terminal,
  credentials: Pick<Credentials, 'read'>,
): Promise<Deployment> {
  const { environment, folder } = terminal
  const said = {
    baseUrl:
      hostIn('--base-url', options.baseUrl) ?? hostIn('SVC_BASE_URL', environment['SVC_BASE_URL']),
    triggersUrl:
      hostIn('--triggers-url', options.triggersUrl) ??
      hostIn('SVC_TRIGGERS_URL', environment['SVC_TRIGGERS_URL']),
  }
  const stack = localStackOf(folder, environment)
  const known = completed(said, stack) ?? completed(said, await current(credentials)) ?? said
  return {
    known,
    get baseUrl() {
      return known.baseUrl ?? nobodyNamed('--base-url', 'SVC_BASE_URL')
    },
    get triggersUrl() {
      return known.triggersUrl ?? nobodyNamed('--triggers-url', 'SVC_TRIGGERS_URL')
    },
    fetch: fetchFor(known, authorityOf(options, terminal), stack),
  }
}

type Addresses = { baseUrl: string | undefined; triggersUrl: string | undefined }

/** Completes the given addresses from a deployment. Returns undefined if they contradict it. */
function completed(said: Addresses, whole: Addresses | undefined): Addresses | undefined {
  if (!whole) return undefined
  const isOther = (name: keyof Addresses) => said[name] !== undefined && said[name] !== whole[name]
  if (isOther('baseUrl') || isOther('triggersUrl')) return undefined
  return { baseUrl: whole.baseUrl, triggersUrl: whole.triggersUrl }
}

async function current(credentials: Pick<Credentials, 'read'>): Promise<Addresses | undefined> {
  const kept = (await credentials.read()).current
  return kept && { baseUrl: kept.base_url, triggersUrl: kept.triggers_url }
}

/** Returns the PEM of `--ca` or `SVC_CA_FILE`. */
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
  { baseUrl, triggersUrl }: Addresses,
  authority: string | undefined,
  stack: LocalStack | undefined,
): typeof fetch {
  const origins = [baseUrl, triggersUrl].filter((url) => url !== undefined)
  if (authority !== undefined) return trustingFetch(authority, origins)
  const ofStack = stack && [stack.baseUrl, stack.triggersUrl].filter((url) => origins.includes(url))
  return ofStack?.length ? trustingFetch(stack!.authority, ofStack) : fetch
}

/** Applies the client's own URL rules, with the option's name in the error. */
function hostIn(name: string, text: string | undefined): string | undefined {
  if (text === undefined || text === '') return undefined
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isPlain = url?.protocol === 'http:' && isLoopback(url.hostname)
  if (!url || (url.protocol !== 'https:' && !isPlain))
    throw new UsageError(
      `${name}: expected an https:// URL (http:// for this machine itself alone)`,
    )
  if (url.username || url.password || url.search || url.hash || url.pathname !== '/')
    throw new UsageError(`${name}: expected scheme, host and port alone`)
  return url.origin
}

function nobodyNamed(option: string, variable: string): never {
  throw new UsageError(
    `which deployment? Give ${option}, set ${variable}, run svc login, or start a local stack here with svc up`,
  )
}
