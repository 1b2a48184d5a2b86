import type { McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { actionCid } from '../../cid/compute-cid.ts'
import { addTool, READS, type ToolParts } from '../tool.ts'
import { createTriggerInput, requireActionSource, withBuildWarnings } from './trigger-fields.ts'

const { action_code, action_file } = createTriggerInput.shape

const fromCode = z.strictObject({ action_code })
const computed = z.object({
  action_cid: z.string(),
  warnings: z.array(z.string()).exactOptional(),
})
const fromCodeOrFile = z.strictObject({ action_code, action_file })

export function addActionTools(server: McpServer, { local }: ToolParts): void {
  const input: z.ZodType<z.infer<typeof fromCodeOrFile>> = local ? fromCodeOrFile : fromCode
  addTool(server, 'compute_action_cid', {
    title: 'Compute an action’s CID',
    description:
      'Computes the CID of an action’s source, without storing it. A group must permit this CID before a usage key can run the action. Any change to the source changes the CID.',
    input,
    output: computed,
    hints: READS,
    async run(given) {
      const source = await requireActionSource(given, local)
      const action_cid = await actionCid(source.code)
      return withBuildWarnings<z.infer<typeof computed>>({ action_cid }, source)
    },
  })
}
