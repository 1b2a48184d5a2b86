import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server'
import type { z } from 'zod'
import { jsonSchemaOf } from '../../openapi/json-schema.ts'

/**
 * Returns a schema that advertises the same JSON Schema as the OpenAPI document, where responses may gain fields. The
 * MCP library's own validation is disabled: tools parse their arguments themselves, so that invalid arguments are
 * reported like other errors.
 */
export function advertisedSchema<Value>(
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
