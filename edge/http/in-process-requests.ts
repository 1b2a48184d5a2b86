import type { AgentUser } from '../identity/agent-tokens.ts'

/** Clients cannot add to this map, because a request from the network is always another object. */
const users = new WeakMap<Request, AgentUser>()

/** Marks a request that the edge sends to its own app as authenticated. */
export function authenticateInProcess(request: Request, user: AgentUser): void {
  users.set(request, user)
}

export function inProcessUser(request: Request): AgentUser | undefined {
  return users.get(request)
}
