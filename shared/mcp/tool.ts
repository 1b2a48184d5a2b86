import {
  type McpServer,
  requireScopes,
  type StandardSchemaWithJSON,
  type ToolAnnotations,
} from '@modelcontextprotocol/server'
import type { z } from 'zod'
import { toolFailure } from './tool-failure.ts'
import type { Me } from '../client/triggers/records.ts'
import type { TriggerOperations } from '../client/triggers/triggers.ts'
import type { Scope } from '../wire/agent.ts'
import { jsonSchemaOf } from '../openapi/json-schema.ts'

/** Account that the tools work on. */
export type ToolSession = {
  triggers(): Promise<TriggerOperations>
  me(signal: AbortSignal): Promise<Me>
}

/** Source of an action, and the warnings of its build. */
export type ActionSource = { code: string; warnings: readonly string[] }

/** Reads files, secrets and usage keys of the machine on which the server runs. */
export type LocalInputs = {
  source(this: void, file: string, maxBytes: number): Promise<ActionSource>
  webhookSecret(this: void, file: string): Promise<string>
  usageKey(this: void, reference: UsageKeyReference): Promise<string>
}

export type UsageKeyReference = {
  usage_key_file?: string | undefined
  usage_key_variable?: string | undefined
}

export type ToolParts = {
  session: ToolSession
  /** Undefined for a remote server, whose tools then accept neither files nor variables. */
  local?: LocalInputs | undefined
}

type Tool<Input, Output extends object> = {
  title: string
  description: string
  input: z.ZodType<Input>
  output: z.ZodType<Output>
  hints: ToolAnnotations
  /** Required scope, or `null` if any token is sufficient. Default: by `hints.readOnlyHint`. */
  scope?: Scope | null
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
  { input, output, hints, scope = scopeOf(hints), run, ...about }: Tool<Input, Output>,
): void {
  const config = {
    ...about,
    inputSchema: advertisedSchema(input),
    outputSchema: advertisedSchema(output),
    annotations: hints,
    // Applies only over HTTP, where the server knows the scopes of the token.
    ...(scope !== null && { scopeChallenge: requireScopes(scope) }),
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

const scopeOf = ({ readOnlyHint }: ToolAnnotations): Scope =>
  readOnlyHint ? 'triggers:read' : 'triggers:write'

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
