/** Registers tools: advertises their schemas, runs them, and reports their failures. */
import type { McpServer, ToolAnnotations } from '@modelcontextprotocol/server'
import type { z } from 'zod'
import { advertised } from './advertised-schema.ts'
import { toolFailure } from './tool-failure.ts'

export type Tool<Input, Output extends object> = {
  /** Shown to people. */
  title: string
  /** Tells the model what the tool does and when to use it. */
  description: string
  input: z.ZodType<Input>
  output: z.ZodType<Output>
  hints: ToolAnnotations
  run(this: void, input: Input, signal: AbortSignal): Promise<Output>
}

/** Read-only. */
export const READS: ToolAnnotations = { readOnlyHint: true, openWorldHint: false }
/** Creates something. A repeated call creates another one. */
export const ADDS: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: true,
}
/** Replaces or removes something. A repeated call has no further effect. */
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
        // For clients that show only text.
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
