import type { McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { actionCid } from '../../../cid/compute-cid.ts'
import { type McpParts, addTool, READS } from '../tool.ts'
import { createTriggerInput, requireActionSource } from './trigger-fields.ts'

const { action_code, action_file } = createTriggerInput.shape

export function addActionTools(server: McpServer, parts: McpParts): void {
  addTool(server, 'compute_action_cid', {
    title: 'Compute an action’s CID',
    description:
      'Computes the CID of an action’s source locally. A group must permit this CID before a usage key can run the action. Any change to the source changes the CID.',
    input: z.strictObject({ action_code, action_file }),
    output: z.object({ action_cid: z.string() }),
    hints: READS,
    run: async (given) => ({
      action_cid: await actionCid(await requireActionSource(given, parts)),
    }),
  })
}
