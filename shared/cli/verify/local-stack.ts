/** What a local stack says of itself, for who verifies it on the same machine. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { z } from 'zod'
import { isLoopback } from '../../loopback.ts'

const recordSchema = z.object({
  addresses: z.object({
    base_url: z.url(),
    triggers_url: z.url(),
    chain_rpc: z.string(),
    dns_server: z.string(),
    ca_file: z.string(),
  }),
})

export type LocalStack = {
  file: string
  caFile: string
  /** PEM: what is in `caFile`. */
  authority: string
  rpcUrl: string
  dnsServer: string
}

/**
 * The stack that runs in this folder's state folder, where the URL is one of its addresses; nothing for any other URL:
 * its authority is trusted for its own host alone.
 */
export function localStackAt(
  url: URL,
  folder: string,
  environment: Readonly<Record<string, string | undefined>>,
): LocalStack | undefined {
  if (!isLoopback(url.hostname)) return undefined
  const file = resolve(folder, environment['SVC_STATE_DIR'] ?? '.svc', 'stack.json')
  try {
    const { addresses } = recordSchema.parse(JSON.parse(readFileSync(file, 'utf8')))
    const { base_url, triggers_url, chain_rpc, dns_server, ca_file } = addresses
    if (![base_url, triggers_url].some((known) => new URL(known).origin === url.origin))
      return undefined
    const authority = readFileSync(ca_file, 'utf8')
    return { file, caFile: ca_file, authority, rpcUrl: chain_rpc, dnsServer: dns_server }
  } catch {
    return undefined // no stack runs here
  }
}
