import type { McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { agentRequestAnswer, agentRequestBody } from '../../../wire/agent.ts'
import { meAnswer } from '../../../wire/me.ts'
import type { McpParts } from '../parts.ts'
import { ADDS, addTool, READS } from '../tool.ts'

const authorizeInput = z.strictObject({
  label: agentRequestBody.shape.label
    .optional()
    .describe('How your user tells this agent from others in his list of tokens.'),
  scopes: agentRequestBody.shape.scopes.describe(
    'triggers:read alone may change nothing. Both where it is left out.',
  ),
})

const authorizeOutput = agentRequestAnswer.omit({ request_id: true }).extend({
  comparison_code: z.string().describe('The page shows the same one.'),
})

export function addIdentityTools(server: McpServer, { session, label }: McpParts): void {
  addTool(server, 'whoami', {
    title: 'Who am I',
    description:
      'Whose triggers the other tools work on: e-mail address, scopes, and when the token ends. Call it first, and again after authorize. ' +
      'Tell your user the address, and go on only if it is his: what you create, and usage keys, go to that account.',
    input: z.strictObject({}),
    output: meAnswer,
    hints: READS,
    run: (_, signal) => session.me(signal),
  })
  addTool(server, 'authorize', {
    title: 'Ask for access',
    description:
      'Asks a person for access to the trigger service, where whoami says that there is none. Show your user authorize_url, user_code and ' +
      'comparison_code exactly as they are, and no one else: he opens the URL, compares, types user_code and presses Authorize. Never open ' +
      'the URL or press Authorize for him. Then call whoami. The token itself stays in this server. The request ends at expires_at.',
    input: authorizeInput,
    output: authorizeOutput,
    hints: ADDS,
    run: ({ label: own = label, scopes }, signal) =>
      session.ask({ label: own, ...(scopes && { scopes }) }, signal),
  })
}
