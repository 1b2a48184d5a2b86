/** Looks up the CAA records that apply to a host (RFC 8659). */
import type { CaaRecord } from 'node:dns'
import { Resolver } from 'node:dns/promises'

/** Longer alias chains are treated as loops. */
const ALIASES_MAX = 8
const QUESTION_MS = 3_000
const TRIES = 2

/** A name server did not respond, so neither the presence nor the absence of records is known. */
export class NamesUnavailable extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(reason, options)
    this.name = 'NamesUnavailable'
  }
}

type Names = Pick<Resolver, 'resolveCaa' | 'resolveCname'>

/** @param server `ip` or `ip:port`; default: the system's name servers */
export function namesOf(server: string | undefined): Names {
  const resolver = new Resolver({ timeout: QUESTION_MS, tries: TRIES })
  if (server !== undefined) resolver.setServers([server])
  return resolver
}

/**
 * Finds the records that apply to a host: its own, or those of the closest parent that has any. Follows aliases, but
 * does not climb from the target of an alias (RFC 8659, section 3).
 * @returns records as in a zone file: `0 issue "ca.example; accounturi=…"`; empty if no parent has any
 * @throws {NamesUnavailable}
 */
export async function caaRecords(host: string, names: Names): Promise<string[]> {
  const labels = host.replace(/\.$/, '').split('.')
  for (let at = 0; at < labels.length; at++) {
    const records = await recordsAt(labels.slice(at).join('.'), names)
    if (records.length > 0) return records.map(text)
  }
  return []
}

/** Follows aliases explicitly: a resolver would follow them, but an authoritative server does not. */
async function recordsAt(name: string, names: Names): Promise<CaaRecord[]> {
  let owner: string | undefined = name
  for (let aliases = 0; owner !== undefined; aliases++) {
    if (aliases > ALIASES_MAX)
      throw new NamesUnavailable(`${name} has more than ${ALIASES_MAX} aliases`)
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
    throw new NamesUnavailable(`no answer about ${name} (${String(code)})`, { cause: error })
  }
}

function text({ critical, ...record }: CaaRecord): string {
  const { type: _, ...properties } = record as Record<string, unknown>
  const [tag = '', value = ''] = Object.entries(properties)[0] ?? []
  return `${critical} ${tag} ${JSON.stringify(value)}`
}
