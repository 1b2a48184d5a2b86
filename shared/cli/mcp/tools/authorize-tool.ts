import type { McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { ADDS, addTool } from '../../../mcp/tool.ts'
import { agentRequestResponse, agentRequestBody } from '../../../wire/agent.ts'
import type { McpParts } from '../mcp-parts.ts'

const authorizeInput = z.strictObject({
  label: agentRequestBody.shape.label
    .optional()
    .describe('Name of this agent in your user’s list of tokens.'),
  scopes: agentRequestBody.shape.scopes.describe(
    'triggers:read alone does not allow changes. Default: both scopes.',
  ),
})

const authorizeOutput = agentRequestResponse.omit({ request_id: true }).extend({
  comparison_code: z.string().describe('The approval page must show the same code.'),
})

export function addAuthorizeTool(server: McpServer, { session, label }: McpParts): void {
  addTool(server, 'authorize', {
    title: 'Request access',
    description:
      'Requests access to the trigger service from a person, if whoami reports that there is none. Show authorize_url, user_code and ' +
      'comparison_code unchanged to your user and to no one else: they open the URL, compare, enter user_code and press Authorize. Never ' +
      'open the URL or press Authorize for them. Then call whoami. The token stays in this server. The request expires at expires_at.',
    input: authorizeInput,
    output: authorizeOutput,
    hints: ADDS,
    run: ({ label: own = label, scopes }, signal) =>
      session.requestAuthorization({ label: own, ...(scopes && { scopes }) }, signal),
  })
}
