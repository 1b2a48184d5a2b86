import type { McpServer, ToolAnnotations } from '@modelcontextprotocol/server'
import type { z } from 'zod'
import { advertisedSchema } from './advertised-schema.ts'
import { toolFailure } from './tool-failure.ts'

type Tool<Input, Output extends object> = {
  title: string
  description: string
  input: z.ZodType<Input>
  output: z.ZodType<Output>
  hints: ToolAnnotations
  run(this: void, input: Input, signal: AbortSignal): Promise<Output>
}

export const READS: ToolAnnotations = { readOnlyHint: true, openWorldHint: false }
export const ADDS: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: true,
}
export const DESTROYS: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: true,
  openWorldHint: false,
}

export function addTool<Input, Output extends object>(
  server: McpServer,
  name: string,
  { input, output, hints, run, ...about }: Tool<Input, Output>,
): void {
  const config = {
    ...about,
    inputSchema: advertisedSchema(input),
    outputSchema: advertisedSchema(output),
    annotations: hints,
  }
  server.registerTool(name, config, async (given: unknown, { mcpReq }) => {
    try {
      const answer = await run(input.parse(given ?? {}), mcpReq.signal)
      return {
        // Repeats the result as text, for clients that do not support structured content.
        content: [{ type: 'text', text: JSON.stringify(answer) }],
        structuredContent: answer,
      }
    } catch (error) {
      const failure = toolFailure(error)
      if (failure) return failure
      throw error
    }
  })
}
