import type { AgentRequestAnswer, AgentRequestBody } from '../../wire/agent.ts'
import type { CallOptions } from '../options.ts'
import type { TriggersParts } from './ask.ts'

export type AgentRequestFields = AgentRequestBody
export type AgentRequest = AgentRequestAnswer

/**
 * Registers a request before a person opens the link. The page then shows the label, and the person types `user_code`.
 * Not retried: a lost response loses the code, and a new token is needed. Never sends the token, even if `request` has
 * more fields.
 * @throws {Conflict} `challenge_taken`
 */
export async function registerAgentRequest(
  { requester }: Pick<TriggersParts, 'requester'>,
  { challenge, label, scopes }: AgentRequestFields,
  options?: CallOptions,
): Promise<AgentRequest> {
  const json = { challenge, label, ...(scopes && { scopes }) }
  const path = '/agent/requests'
  const question = { method: 'POST', path, json, repeat: 'never', options } as const
  return (await requester.edge<AgentRequest>(question)).body
}
