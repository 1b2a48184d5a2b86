import { createRequester } from '../../shared/client/requester.ts'
import { cancelableSleep } from '../../shared/client/runtime-environment.ts'
import { triggerOperations } from '../../shared/client/triggers/triggers.ts'
import type { ToolSession } from '../../shared/mcp/tool.ts'

type SessionParts = {
  /** Sends an authenticated request to the edge's own app, without the network. */
  fetch: typeof fetch
  publicUrl: string
  now: () => number
  random: (bytes: number) => Uint8Array<ArrayBuffer>
}

/**
 * Returns the client of the API, whose requests go through the same routes as those of other clients. Tools therefore
 * have the same validation, permissions, limits and errors as the API.
 */
export function inProcessSession({ publicUrl, ...parts }: SessionParts): ToolSession {
  const { origin } = new URL(publicUrl)
  const environment = { ...parts, sleep: cancelableSleep }
  const requester = createRequester({
    ...environment,
    origin,
    edge: origin,
    // The MCP client decides whether to repeat a call.
    retries: { times: 0 },
    signal: undefined,
    beforeCredential: async () => {},
  })
  const withoutCredential: typeof requester = {
    ...requester,
    edge: (request) => {
      const { credential: _credential, ...anonymous } = request
      return requester.edge(anonymous)
    },
  }
  const triggers = triggerOperations({
    ...environment,
    requester: withoutCredential,
    token: 'in process',
  })
  return { triggers: async () => triggers, me: (signal) => triggers.me({ signal }) }
}
