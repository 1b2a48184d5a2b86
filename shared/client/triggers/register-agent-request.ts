import type { AgentRequestAnswer, AgentRequestBody } from '../../wire/agent.ts'
import type { CallOptions } from '../options.ts'
import type { TriggersParts } from './ask.ts'

export type AgentRequestFields = AgentRequestBody
export type AgentRequest = AgentRequestAnswer

/**
 * Says who asks, before a person opens the link: the page then shows the label, and has them type `user_code`. Sent once: where
 * the answer is lost the code is too, and a new token is needed. No token is sent, whatever else `request` has.
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
