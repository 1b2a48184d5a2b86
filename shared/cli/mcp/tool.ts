import type {
  McpServer,
  ToolAnnotations,
  StandardSchemaWithJSON,
} from '@modelcontextprotocol/server'
import type { z } from 'zod'
import { toolFailure } from './tool-failure.ts'
import type { ApiClient } from '../../client/api/client.ts'
import type { AgentSession } from './agent-session.ts'
import type { FolderFiles } from './folder-files.ts'
import type { UsageKeySources } from './usage-keys.ts'
import { jsonSchemaOf } from '../../openapi/json-schema.ts'

export type McpParts = {
  session: AgentSession
  files: FolderFiles
  usageKeys: UsageKeySources
  /** Creates a client for the core API. */
  core(this: void, usageKey: string): ApiClient
  document(this: void, path: string): Promise<string>
  label: string
}

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

/** Sends to a chain, and spends coins of a wallet. */
export const SPENDS: ToolAnnotations = { ...DESTROYS, openWorldHint: true }

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

/**
 * Returns a schema that advertises the same JSON Schema as the OpenAPI document, where responses may gain fields. The
 * MCP library's own validation is disabled: tools parse their arguments themselves, so that invalid arguments are
 * reported like other errors.
 */
function advertisedSchema<Value>(
  schema: z.ZodType<Value>,
): StandardSchemaWithJSON<unknown, unknown> {
  const { vendor, version } = schema['~standard']
  return {
    '~standard': {
      vendor,
      version,
      validate: (value) => ({ value }),
      jsonSchema: {
        input: () => jsonSchemaOf(schema, 'input'),
        output: () => jsonSchemaOf(schema, 'output'),
      },
    },
  }
}
