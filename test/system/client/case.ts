/** A case runs in Node, in workerd and in Chromium: it uses the client, its world, and what the web platform has. */
import type { ApiClient } from '../../../shared/client/index.ts'

/** What a runtime is told of the stack; JSON. */
export type WorldFacts = {
  runtime: 'Node' | 'workerd' | 'Chromium'
  baseUrl: string
  triggersUrl: string
  /** Of the trigger service, approved. */
  token: string
  /** JSON-RPC of the chain, which pages may ask. */
  chainUrl: string
  /** What the evidence of the stack shows: hex. */
  composeHash: string
  rootSpkiSha256: string
}

export type World = WorldFacts

export type Case = {
  name: string
  /** @param client in API mode, without a key: as `createClient({ baseUrl, triggersUrl })` makes it */
  run(client: ApiClient, world: World): Promise<void>
}
