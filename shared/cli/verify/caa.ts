import type { CaaRecord } from 'node:dns'
import { Resolver } from 'node:dns/promises'

/** Maximum length of a chain of DNS aliases. Longer chains are treated as loops. */
const ALIASES_MAX = 8
const QUERY_TIMEOUT_MS = 3_000
const TRIES = 2

/** A name server did not respond, so it is unknown if CAA records exist. */
export class DnsUnavailableError extends Error {
  override name = 'DnsUnavailableError'
}

type CaaResolver = Pick<Resolver, 'resolveCaa' | 'resolveCname'>

/** @param server `ip` or `ip:port`. Undefined for the system's name servers */
export function createCaaResolver(server: string | undefined): CaaResolver {
  const resolver = new Resolver({ timeout: QUERY_TIMEOUT_MS, tries: TRIES })
  if (server !== undefined) resolver.setServers([server])
  return resolver
}

/**
 * Finds the CAA records of a host, or those of the closest parent domain that has any. Follows aliases, but does not
 * search the parent domains of an alias target (RFC 8659, section 3).
 * @returns records in zone file format, such as `0 issue "ca.example; accounturi=…"`. Empty if no domain has records
 * @throws {DnsUnavailableError}
 */
export async function caaRecords(host: string, names: CaaResolver): Promise<string[]> {
  const labels = host.replace(/\.$/, '').split('.')
  for (let at = 0; at < labels.length; at++) {
    const records = await recordsAt(labels.slice(at).join('.'), names)
    if (records.length > 0) return records.map(text)
  }
  return []
}

/**
 * Returns the CAA records of a domain. Follows aliases explicitly, because an authoritative server, unlike a resolver,
 * does not follow them.
 */
async function recordsAt(name: string, names: CaaResolver): Promise<CaaRecord[]> {
  let owner: string | undefined = name
  for (let aliases = 0; owner !== undefined; aliases++) {
    if (aliases > ALIASES_MAX)
      throw new DnsUnavailableError(`${name} has more than ${ALIASES_MAX} aliases`)
    const asked: string = owner
    const records = await orNone(asked, () => names.resolveCaa(asked))
    if (records.length > 0) return records
    owner = (await orNone(asked, () => names.resolveCname(asked)))[0]
  }
  return []
}

async function orNone<Found>(name: string, ask: () => Promise<Found[]>): Promise<Found[]> {
  try {
    return await ask()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENODATA' || code === 'ENOTFOUND') return []
    throw new DnsUnavailableError(`no response for ${name} (${String(code)})`, { cause: error })
  }
}

function text({ critical, ...record }: CaaRecord): string {
  const { type: _, ...properties } = record as Record<string, unknown>
  const [tag = '', value = ''] = Object.entries(properties)[0] ?? []
  return `${critical} ${tag} ${JSON.stringify(value)}`
}
