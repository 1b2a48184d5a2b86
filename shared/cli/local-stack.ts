import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { isLoopback } from '../network/loopback.ts'

export type LocalStack = {
  file: string
  baseUrl: string
  triggersUrl: string
  caFile: string
  authority: string
  rpcUrl: string
  dnsServer: string
}

const FIELDS = ['base_url', 'triggers_url', 'chain_rpc', 'dns_server', 'ca_file'] as const
type StackAddresses = Record<(typeof FIELDS)[number], string>

/**
 * Returns the local stack if `url` is one of the stack's addresses. Otherwise undefined, because the stack's
 * certificate authority is trusted only for the stack's own hosts.
 */
export function localStackAt(
  url: URL,
  folder: string,
  environment: Readonly<Record<string, string | undefined>>,
): LocalStack | undefined {
  const stack = localStackOf(folder, environment)
  const isOfIt = [stack?.baseUrl, stack?.triggersUrl].includes(url.origin)
  return isOfIt ? stack : undefined
}

/** Undefined if no stack is running, or if its addresses are not loopback addresses. */
export function localStackOf(
  folder: string,
  environment: Readonly<Record<string, string | undefined>>,
): LocalStack | undefined {
  const file = resolve(folder, environment['SVC_STATE_DIR'] ?? '.svc', 'stack.json')
  try {
    const addresses = addressesIn(JSON.parse(readFileSync(file, 'utf8')))
    if (!addresses) return undefined
    const { base_url, triggers_url, chain_rpc, dns_server, ca_file } = addresses
    const [base, triggers] = [new URL(base_url), new URL(triggers_url)]
    if (!isLoopback(base.hostname) || !isLoopback(triggers.hostname)) return undefined
    return {
      file,
      baseUrl: base.origin,
      triggersUrl: triggers.origin,
      caFile: ca_file,
      authority: readFileSync(ca_file, 'utf8'),
      rpcUrl: chain_rpc,
      dnsServer: dns_server,
    }
  } catch {
    return undefined // no stack is running here
  }
}

function addressesIn(record: unknown): StackAddresses | undefined {
  const addresses: unknown = Reflect.get(Object(record), 'addresses')
  const isWhole = FIELDS.every((name) => typeof Reflect.get(Object(addresses), name) === 'string')
  return isWhole ? (addresses as StackAddresses) : undefined
}
