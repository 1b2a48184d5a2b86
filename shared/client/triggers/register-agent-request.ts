import type { AgentRequestResponse, AgentRequestBody } from '../../wire/agent.ts'
import type { CallOptions } from '../options.ts'
import type { TriggersParts } from './send-request.ts'

export type AgentRequestFields = AgentRequestBody
export type AgentRequest = AgentRequestResponse

/**
 * Registers a token before its approval. The approval page shows the label, and the person must type `user_code`. The
 * call is not retried: if the response is lost, the code is lost too, and a new token is needed. The token itself is
 * never sent, even if the given fields include it.
 * @throws {Conflict} `challenge_taken`
 */
export async function registerAgentRequest(
  { requester }: Pick<TriggersParts, 'requester'>,
  { challenge, label, scopes }: AgentRequestFields,
  options?: CallOptions,
): Promise<AgentRequest> {
  const json = { challenge, label, ...(scopes && { scopes }) }
  const path = '/agent/requests'
  const request = { method: 'POST', path, json, repeat: 'never', options } as const
  return (await requester.edge<AgentRequest>(request)).body
}
