/** Adapts zod schemas to the form that the MCP library advertises. */
import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server'
import type { z } from 'zod'
import { jsonSchemaOf } from '../../openapi/json-schema.ts'

/**
 * Returns the JSON Schema as in the API's own description, where responses may gain fields. The library's validation is
 * a no-op: tools parse their arguments themselves, so that invalid arguments fail in the same form as other errors.
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
