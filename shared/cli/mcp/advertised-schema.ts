/** Adapts zod schemas to the form that the MCP library advertises. */
import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server'
import type { z } from 'zod'
import { jsonSchemaOf } from '../../openapi/json-schema.ts'

/**
 * Wraps a zod schema for the MCP library. The advertised JSON Schema is the same as in the OpenAPI document, where
 * responses may gain fields. The library's own validation is disabled. Tools parse their arguments themselves, so that
 * invalid arguments are reported in the same form as other errors.
 */
export function advertised<Value>(
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
