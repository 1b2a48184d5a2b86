/** A case runs in Node, workerd and Chromium, so it uses only the client, its world and web platform APIs. */
import type { ApiClient } from '../../../shared/client/index.ts'

/** JSON description of the stack, passed to a runtime. */
export type WorldFacts = {
  runtime: 'Node' | 'workerd' | 'Chromium'
  baseUrl: string
  triggersUrl: string
  /** An approved agent token of the trigger service. */
  token: string
  /** JSON-RPC URL of the chain, with CORS enabled. */
  chainUrl: string
  /** Hex, as shown by the stack's evidence. */
  composeHash: string
  rootSpkiSha256: string
}

export type World = WorldFacts

export type Case = {
  name: string
  /** @param client in API mode, without a key, as `createClient({ baseUrl, triggersUrl })` returns it */
  run(client: ApiClient, world: World): Promise<void>
}
