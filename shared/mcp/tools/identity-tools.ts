import type { McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { meResponse } from '../../wire/me.ts'
import { addTool, READS, type ToolParts } from '../tool.ts'

export function addIdentityTools(server: McpServer, { session, local }: ToolParts): void {
  addTool(server, 'whoami', {
    title: 'Who am I',
    description:
      'Shows the account that the other tools work on: email address, scopes, and expiry of the token. ' +
      `Call it first${local ? ', and again after authorize' : ''}. ` +
      'Tell your user the address, and continue only if it is theirs: triggers and usage keys go to that account.',
    input: z.strictObject({}),
    output: meResponse,
    hints: READS,
    scope: null,
    run: (_, signal) => session.me(signal),
  })
}
