/** How a tool is made: told, called, and its failures said. */
import type { McpServer, ToolAnnotations } from '@modelcontextprotocol/server'
import type { z } from 'zod'
import { advertised } from './advertised-schema.ts'
import { toolFailure } from './tool-failure.ts'

export type Tool<Input, Output extends object> = {
  /** For people. */
  title: string
  /** What it does, and when to use it. */
  description: string
  input: z.ZodType<Input>
  output: z.ZodType<Output>
  hints: ToolAnnotations
  run(this: void, input: Input, signal: AbortSignal): Promise<Output>
}

/** Looks, and changes nothing. */
export const READS: ToolAnnotations = { readOnlyHint: true, openWorldHint: false }
/** Adds something; again, it adds another. */
export const ADDS: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: true,
}
/** Replaces or ends what is there; again, nothing more happens. */
export const DESTROYS: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: true,
  openWorldHint: false,
}

export function addTool<Input, Output extends object>(
  server: McpServer,
  name: string,
  { title, description, input, output, hints, run }: Tool<Input, Output>,
): void {
  const config = {
    title,
    description,
    inputSchema: advertised(input),
    outputSchema: advertised(output),
    annotations: hints,
  }
  server.registerTool(name, config, async (given: unknown, { mcpReq }) => {
    try {
      const answer = await run(input.parse(given ?? {}), mcpReq.signal)
      return {
        // For clients that show text alone.
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
